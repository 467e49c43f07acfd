import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, expect, onTestFinished } from "vitest";
import { buildPages } from "../../scripts/pages.mjs";
import { Page } from "../support/browser-page.js";
import { browserTest } from "../support/browser-test.js";
import { builtProgram } from "../support/built-program.js";

const program = builtProgram("examples/app/main.ts");
beforeAll(() => buildPages("examples/app/browser", join(dirname(program), "browser")));

/** The address of the host, which the program prints. */
async function started(): Promise<string> {
  const child = spawn(process.execPath, [program, "0"], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  });
  for await (const line of createInterface(child.stderr)) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error("the program ended before it listened");
}

browserTest("a user looks at a View, asks about it and chooses another city", async () => {
  const url = await started();
  const page = await Page.open(600);
  onTestFinished(() => page.close());
  await page.load(url);
  const messages = () =>
    page.evaluate<string[]>('[...document.querySelectorAll("li")].map((item) => item.textContent)');
  // The View reports its size once it is displayed.
  await expect
    .poll(() => page.evaluate<string>('document.querySelector("iframe").style.height'))
    .not.toBe("");
  // The frame and its page have an opaque origin: the test cannot read them, and sends keys as a user would.
  await page.press("Tab");
  await page.press("Tab");
  const asked = async () => {
    await page.press("Enter");
    return messages();
  };
  await expect.poll(asked, { interval: 100 }).toContain("What shall I wear in bergen at 9°?");
  await page.press("Tab", "Shift");
  await page.type("c");
  await page.press("Tab");
  await expect.poll(asked, { interval: 100 }).toContain("What shall I wear in cairo at 31°?");
});
