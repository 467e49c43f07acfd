import { existsSync } from "node:fs";
import { join } from "node:path";
import { Page } from "../support/browser-page.js";
import { fill, press, shows } from "../support/page-gestures.js";
import { until } from "../support/until.mjs";
import { Reader, type Running, type Step, expectedOutput } from "../support/walkthrough.js";

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
    const found = (): RegExpExecArray | null => pattern.exec(this.#running.output().slice(this.#seen));
    const match = (await until(`dev prints\n${lines}`, found))!;
    this.#seen += match.index + match[0].length;
    return match[0];
  }

  async end(): Promise<void> {
    await this.#running.interrupt();
  }
}

/** The actions that the sentences of the page describe. */
const sentences: readonly [RegExp, (page: Page, ...words: string[]) => Promise<void>][] = [
  [/^Press \*\*(.+)\*\*\.$/, (page, label) => press(page, label!)],
  [/^Type `(.+)` into \*\*(.+)\*\*\.$/, (page, value, label) => fill(page, label!, value!)],
  [/^\*\*(.+)\*\* appears\.$/, (page, text) => shows(page, "body", text!)],
];

/**
 * A reader of docs/guides/develop.md: `dev` keeps running while files change, and the reader follows the sentences on
 * its page.
 */
export class DevelopingReader extends Reader {
  #loop: Loop | undefined;
  #page: Page | undefined;

  override async take(step: Step): Promise<void> {
    if (step.kind === "see") await this.#loop!.sees(step.output);
    else if (step.kind === "do") await this.#does(step.sentence);
    else if (step.kind === "run" && step.script.startsWith("npx mcpgen dev ")) await this.#develops(step);
    else {
      if (step.kind === "run") await this.#ends();
      await super.take(step);
    }
  }

  async #develops({ script, output }: Extract<Step, { kind: "run" }>): Promise<void> {
    this.#loop = new Loop(this.start(script));
    const url = /http:\S+/.exec(await this.#loop.sees(output!))![0];
    this.#page = await Page.open(1280);
    const downloadPath = join(this.folder, "test");
    await this.#page.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath });
    await this.#page.load(url);
  }

  async #does(sentence: string): Promise<void> {
    for (const [pattern, action] of sentences) {
      const match = pattern.exec(sentence);
      if (match) return action(this.#page!, ...match.slice(1));
    }
    throw new Error(`no sentence that this reader knows: ${sentence}`);
  }

  /** At the next command, `dev` has ended, and the browser has saved the file. */
  async #ends(): Promise<void> {
    if (this.#loop === undefined) return;
    await until("the session is saved", () => existsSync(join(this.folder, "test/session.jsonl")));
    await this.#loop.end();
    await this.#page!.close();
    this.#loop = undefined;
  }
}
