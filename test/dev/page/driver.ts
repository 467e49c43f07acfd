import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Page } from "../../support/browser-page.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { press, shows } from "../../support/page-gestures.js";
import { until } from "../../support/until.mjs";

/** A folder for screenshots, if they are wanted. */
const shots = process.env["MCPGEN_SCREENSHOTS"];

/** A page of `mcpgen dev` in a browser. */
export interface Opened {
  readonly page: Page;
  readonly url: string;
  readonly folder: string;
}

export interface Opening {
  readonly width?: number;
  /** The folder of the loop; a new one without it. */
  readonly folder?: string;
  /** Prepares the browser before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** `mcpgen dev --page` with a server, and a browser at its page. */
export async function opened(
  cli: string,
  server: readonly string[],
  { width = 1280, folder = temporaryFolder(), prepare }: Opening = {},
): Promise<Opened> {
  const program = spawn(process.execPath, [cli, "dev", "--page", ...server], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(program, "exit");
  onTestFinished(async () => {
    program.kill("SIGINT");
    await exited;
  });
  let stderr = "";
  program.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  await Promise.race([until("server started", () => stderr.includes("server started")), exited]);
  expect(stderr).toContain("server started");
  const url = /page: (\S+)/.exec(stderr)![1]!;
  const page = await Page.open(width);
  onTestFinished(() => page.close());
  await prepare?.(page);
  await page.load(url);
  await shows(page, "#connection", "connected");
  return { page, url, folder };
}

/** Words of a command line that start a program of this repository. */
export function program(file: string, ...words: readonly string[]): readonly string[] {
  return ["--server", [process.execPath, file, ...words].map((word) => `"${word}"`).join(" ")];
}

/** Chooses an entry of the offer. On a small screen, the list is folded. */
export async function choose(page: Page, name: string): Promise<void> {
  await page.evaluate(
    `[...document.querySelectorAll("#offer-fold[aria-expanded=false]")].filter((each) => each.checkVisibility()).forEach((each) => each.click())`,
  );
  await press(page, name, "#offer-list");
}

/** Opens the messages, or other parts that are folded. */
export const unfold = (page: Page, summary: string): Promise<unknown> =>
  page.evaluate(`document.querySelector(${JSON.stringify(summary)}).closest("details").open = true`);

/** Chooses an entry of the offer, and sends its request. */
export async function call(page: Page, name: string): Promise<void> {
  await choose(page, name);
  await press(page, name.includes("://") ? "Read" : "Call", "#target");
}

export async function prefer(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.send("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-color-scheme", value: theme }],
  });
}

/** Keeps a picture of each theme at each width, if they are wanted. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  for (const theme of ["light", "dark"] as const)
    for (const width of [320, 1024, 1920]) {
      await prefer(page, theme);
      await page.resize(width, 1000);
      writeFileSync(join(shots, `${name}-${width}-${theme}.png`), await page.screenshot());
    }
}
