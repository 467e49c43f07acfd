import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Page } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { builtCli } from "../../support/built-program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import {
  Reader,
  type Running,
  expectedOutput,
  readerEnvironment,
  stepsOf,
} from "../../support/walkthrough.js";
import { fill, press, shows } from "./driver.js";

const cli = builtCli();

/** `dev`, and how much of its output the reader has seen. */
class Loop {
  readonly #running: Running;
  #seen = 0;

  constructor(running: Running) {
    this.#running = running;
  }

  /** Waits until the lines are printed; others may be before them. */
  async sees(lines: string): Promise<string> {
    const pattern = new RegExp(expectedOutput(lines).source.slice(1, -1));
    const unseen = (): string => this.#running.output().slice(this.#seen);
    await expect.poll(unseen).toMatch(pattern);
    const { index, 0: found } = pattern.exec(unseen())!;
    this.#seen += index + found.length;
    return found;
  }
}

/** Opens a browser at the page; downloads go to a folder. */
async function browser(url: string, downloads: string): Promise<Page> {
  const page = await Page.open(1280);
  onTestFinished(() => page.close());
  await page.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
  await page.load(url);
  return page;
}

/** What the sentences of the document mean. */
const sentences: readonly [RegExp, (page: Page, ...words: string[]) => Promise<void>][] = [
  [/^Press \*\*(.+)\*\*\.$/, (page, label) => press(page, label!)],
  [/^Type `(.+)` into \*\*(.+)\*\*\.$/, (page, value, label) => fill(page, label!, value!)],
  [/^\*\*(.+)\*\* appears\.$/, (page, text) => shows(page, "body", text!)],
];

async function does(page: Page, sentence: string): Promise<void> {
  for (const [pattern, action] of sentences) {
    const match = pattern.exec(sentence);
    if (match) return action(page, ...match.slice(1));
  }
  throw new Error(`no sentence that the test knows: ${sentence}`);
}

browserTest("docs/journeys/develop.md does what it says", async () => {
  const env = readerEnvironment(temporaryFolder(), { cli });
  const reader = new Reader(temporaryFolder(), env, onTestFinished);
  let running: Running | undefined;
  let loop: Loop | undefined;
  let page: Page | undefined;
  for (const step of stepsOf(readFileSync("docs/journeys/develop.md", "utf8"))) {
    if (step.kind === "see") await loop!.sees(step.output);
    else if (step.kind === "do") await does(page!, step.sentence);
    else if (step.kind === "run" && step.script.startsWith("npx mcpgen dev ")) {
      running = reader.start(step.script);
      loop = new Loop(running);
      const url = /http:\S+/.exec(await loop.sees(step.output!))![0];
      page = await browser(url, join(reader.folder, "test"));
    } else {
      if (step.kind === "run" && running !== undefined) {
        // The document has ended `dev` before, and the browser has saved the file.
        await expect.poll(() => existsSync(join(reader.folder, "test/session.jsonl"))).toBe(true);
        await running.interrupt();
        running = undefined;
      }
      await reader.take(step);
    }
  }
});
