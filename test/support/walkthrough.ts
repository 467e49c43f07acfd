import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A step of a reader in a walkthrough. */
export type Step =
  /** Types commands, and compares their output. */
  | { readonly kind: "run"; readonly script: string; readonly exit: number; readonly output?: string }
  /** Writes a file. */
  | { readonly kind: "write"; readonly file: string; readonly text: string }
  /** Edits a file by a diff. */
  | { readonly kind: "edit"; readonly file: string; readonly before: string; readonly after: string }
  /** Compares the output of a program that keeps running. */
  | { readonly kind: "see"; readonly output: string }
  /** Follows a sentence, on a web page. */
  | { readonly kind: "do"; readonly sentence: string };

/** A program that keeps running. */
export interface Running {
  /** Returns the output so far. */
  output(): string;
  /** Ends it as Ctrl-C does, and waits for its end. */
  interrupt(): Promise<void>;
}

/**
 * Returns the steps of a document: `sh` blocks, each with the `text` block of its output if one follows; blocks of
 * other languages below a line that names their file; `diff` blocks, which edit that file; and items of numbered
 * lists.
 */
export function stepsOf(document: string): Step[] {
  const steps: Step[] = [];
  const blocks = document.matchAll(/(?:^`(\S+)`:\n\n)?^```(\w+)\n(.*?)^```$|^\d+\. ([^\n]+)$/gms);
  for (const [, file, language, code = "", sentence] of blocks) {
    const last = steps.at(-1);
    if (sentence !== undefined) steps.push({ kind: "do", sentence });
    else if (language === "sh") {
      const [, exit] = /# ends with (\d+)\s*$/.exec(code) ?? [];
      steps.push({ kind: "run", script: code, exit: Number(exit ?? 0) });
    } else if (language === "text") {
      if (last === undefined) throw new Error(`output of nothing: ${code}`);
      if (last.kind === "run") steps.splice(-1, 1, { ...last, output: code });
      else steps.push({ kind: "see", output: code });
    } else if (file === undefined) throw new Error(`a block without the name of its file: ${code}`);
    else if (language === "diff")
      steps.push({ kind: "edit", file, before: side(code, "-"), after: side(code, "+") });
    else steps.push({ kind: "write", file, text: code });
  }
  return steps;
}

/** Returns one side of a diff: the common lines, and the lines with its mark. */
function side(difference: string, mark: string): string {
  const lines = difference.split("\n").slice(0, -1);
  return lines
    .filter((line) => line === "" || line.startsWith(" ") || line.startsWith(mark))
    .map((line) => `${line.slice(1)}\n`)
    .join("");
}

/**
 * Makes the environment of a reader.
 *
 * @param home an empty folder
 * @param programs shell scripts by command name; they precede all other programs
 */
export function readerEnvironment(
  home: string,
  programs: { readonly [name: string]: string },
): NodeJS.ProcessEnv {
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(home, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(home, name), 0o755);
  }
  const { PATH } = process.env;
  return {
    PATH: `${home}:${join(process.execPath, "..")}:${PATH}`,
    HOME: home,
    CI: "",
    NO_COLOR: "1",
  };
}

/** A reader, in a separate folder. */
export class Reader {
  #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #atEnd: (end: () => void) => void;

  /** @param atEnd registers functions to run after the test */
  constructor(folder: string, env: NodeJS.ProcessEnv, atEnd: (end: () => void) => void) {
    this.#folder = folder;
    this.#env = env;
    this.#atEnd = atEnd;
  }

  /** Performs a step, and compares the output of its commands with the document. */
  async take(step: Step): Promise<void> {
    if (step.kind === "write") return this.write(step);
    if (step.kind === "edit") return this.edit(step);
    if (step.kind !== "run") throw new Error(`no program runs for this: ${JSON.stringify(step)}`);
    const { exit, output } = await this.run(step.script);
    if (process.env["MCPGEN_SHOW"]) console.log(`$ ${step.script}${output}`);
    assert.equal(exit, step.exit, `${step.script}${output}`);
    if (step.output !== undefined) assert.match(output, expectedOutput(step.output), step.script);
  }

  write({ file, text }: Extract<Step, { kind: "write" }>): void {
    const path = join(this.#folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** @throws if the text does not occur exactly once */
  edit({ file, before, after }: Extract<Step, { kind: "edit" }>): void {
    const path = join(this.#folder, file);
    const parts = readFileSync(path, "utf8").split(before);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times\n${before}`);
    writeFileSync(path, parts.join(after));
  }

  /** The current folder of the reader. */
  get folder(): string {
    return this.#folder;
  }

  /** Types the commands of a block. The next block continues in the folder where they end. */
  async run(script: string): Promise<{ readonly exit: number | null; readonly output: string }> {
    const end = join(this.#env["HOME"]!, "folder");
    const { child, output } = this.#shell(`trap 'pwd >"${end}"' EXIT\nset -e\n${script}`);
    const exit = await new Promise<number | null>((resolve) => child.on("close", resolve));
    this.#folder = readFileSync(end, "utf8").trim();
    return { exit, output: output() };
  }

  /** Types a command that keeps running. */
  start(script: string): Running {
    const { child, output } = this.#shell(script);
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    return {
      output,
      async interrupt() {
        process.kill(-child.pid!, "SIGINT");
        await closed;
      },
    };
  }

  #shell(script: string): { child: ChildProcess; output: () => string } {
    const child = spawn("sh", ["-c", `exec 2>&1\n${script}`], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ["ignore", "pipe", "ignore"],
      // A separate process group, so that a failed test can end it as a whole.
      detached: true,
    });
    this.#atEnd(() => {
      try {
        // The commands may have left programs running in the group.
        process.kill(-child.pid!);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    return { child, output: () => text };
  }
}

/**
 * Makes a pattern of the expected output: a line `…` matches any lines, `…` in a line matches any text, and times may
 * differ.
 */
export function expectedOutput(output: string): RegExp {
  const lines = output.trimEnd().split("\n");
  const patterns = lines.map((line) =>
    line.trim() === "…"
      ? "(?:.*\\n)*?"
      : `${line
          .split("…")
          .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\d+\\\.\d+ s\b/g, "[\\d.]+ s"))
          .join(".*")}[ ]*\\n`,
  );
  return new RegExp(`^${patterns.join("")}$`);
}
