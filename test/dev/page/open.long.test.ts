import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { browserTest } from "../../support/browser-test.js";
import { Page } from "../../support/browser-page.js";
import { builtCli, builtProgram } from "../../support/built-program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { until } from "../../support/until.mjs";
import { shows } from "../../support/page-gestures.js";
import { program } from "./driver.js";

const cli = builtCli();
const shop = builtProgram("test/dev/page/shop.ts");

/** `mcpgen dev --open`, with a program in place of the desktop's that records its arguments. */
async function opened() {
  const folder = temporaryFolder();
  const said = join(folder, "said");
  writeFileSync(
    join(folder, "xdg-open"),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${said}.part' && mv '${said}.part' '${said}'\n`,
  );
  chmodSync(join(folder, "xdg-open"), 0o755);
  const child = spawn(process.execPath, [cli, "dev", "--open", ...program(shop)], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  const end = async (): Promise<void> => {
    child.kill("SIGINT");
    await exited;
  };
  onTestFinished(end);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  await until(
    "the server starts, and the browser",
    () => stderr.includes("server started") && existsSync(said),
  );
  const url = /page: (\S+)/.exec(stderr)![1]!;
  return { url, words: readFileSync(said, "utf8").trim().split("\n"), stderr: () => stderr, end };
}

test.skipIf(process.platform !== "linux")(
  "--open: the secret is in no command line, only in a file of this user, which goes with the loop",
  async () => {
    const { url, words, stderr, end } = await opened();
    const secret = new URL(url).pathname.slice(1, -1);
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect(words).toEqual([expect.stringMatching(/^file:\/\/\//)]);
    expect(words.join(" ")).not.toContain(secret);
    const file = fileURLToPath(words[0]!);
    expect(readFileSync(file, "utf8")).toContain(`url=${url}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    // Only the line with the address has the secret.
    expect(stderr().split(secret)).toHaveLength(2);
    await end();
    expect(existsSync(dirname(file))).toBe(false);
  },
);

browserTest("--open: a browser that opens the file comes to the page", async () => {
  const { words, end } = await opened();
  const page = await Page.open(800);
  onTestFinished(() => page.close());
  await page.load(words[0]!);
  await shows(page, "#connection", "connected");
  await end();
});
