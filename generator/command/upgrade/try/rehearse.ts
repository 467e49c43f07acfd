import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ts } from "ts-morph";
import { CodedError } from "../../../diagnostics/coded-error.js";
import { readRegularText } from "../../../files/regular-file.js";
import type { ProtocolModel } from "../../../model/model.js";
import { compiledModules } from "./modules.js";
import type { Conversation, RehearsalPlan } from "./plan.js";
import { wordsOf } from "./samples.js";

/** Generated output, and the models that it was generated from. */
export interface Output {
  readonly files: ReadonlyMap<string, string>;
  /** Oldest first. */
  readonly models: readonly ProtocolModel[];
}

/**
 * Runs conversations of a server and a client on generated output, in a separate process that gets no variable of this
 * one's environment.
 *
 * @param vocabulary the revision in whose words handlers and calls are written
 * @throws CodedError MG3115 where the process fails
 */
export async function rehearse({ files, models }: Output, vocabulary: string): Promise<Conversation[]> {
  const plan: RehearsalPlan = {
    modules: compiledModules(files, [
      ...["server", "client", "listed"],
      ...models.map(({ revision }) => `${revision}/methods`),
    ]),
    from: import.meta.url,
    vocabulary,
    revisions: models.map(wordsOf),
  };
  return JSON.parse(await run(programWords(), JSON.stringify(plan))) as Conversation[];
}

/** The words that start the program of the conversations: its file, or, where mcpgen runs from its sources, its text. */
function programWords(): string[] {
  const built = fileURLToPath(new URL("./command/upgrade/try/conversations.js", import.meta.url));
  if (existsSync(built)) return [built];
  const source = readRegularText(fileURLToPath(new URL("./conversations.ts", import.meta.url)));
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return ["--input-type=module", "-e", outputText];
}

/** Milliseconds after which the process is ended. */
const longestRun = 300_000;

function run(words: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--no-warnings", ...words], {
      // Not in the folder of the project: a `.env` or a package there is none of this process's business.
      cwd: "/",
      env: { NODE_ENV: "production" },
      timeout: longestRun,
      stdio: "pipe",
    });
    const [stdout, stderr]: [string[], string[]] = [[], []];
    child.stdout.setEncoding("utf8").on("data", (text: string) => stdout.push(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve(stdout.join(""));
      const said = stderr.join("").split("\n");
      const line = said.find((each) => /\S/.test(each)) ?? "it ended without a message";
      reject(
        new CodedError("MG3115", `the process of the conversations failed: ${line}`, {
          next: "Run `mcpgen upgrade` without --try, and report this as a fault of mcpgen.",
          detail: stderr.join(""),
        }),
      );
    });
    // A process that fails early reads no more.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
