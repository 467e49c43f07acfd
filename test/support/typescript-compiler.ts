import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Files to compile, by path. */
type Files = ReadonlyMap<string, string>;

const strictest = {
  target: "ES2022",
  lib: ["ES2023"],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  customConditions: ["mcpgen-source"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
};

const nocheck = /^\/\/ @ts-nocheck .*$/m;

/** Blanks the line that turns off the compiler in a module. All code of the protocol's own schemas must compile. */
export function checkedWhole(module: string): string {
  return module.replace(nocheck, "//");
}

/** Codes of errors about names, imports and unused declarations, which no generated code may have. */
const aboutNames = new Set(
  "2300 2304 2305 2307 2323 2393 2395 2440 2448 2451 2454 2484 2528 2552 2554 2693 2694 2724 2749 6133 6192 6196".split(
    " ",
  ),
);

/** The project's own settings, without checking libraries. */
export const projectConfig = {
  extends: resolve("tsconfig.base.json"),
  compilerOptions: { skipLibCheck: true, types: ["node"] },
  include: ["**/*.ts"],
};

/** Returns the output of the TypeScript compiler for files with this tsconfig.json. */
export async function compilerOutput(
  files: Files,
  config: object,
  words: readonly string[] = [],
): Promise<string> {
  const [output] = await compilerOutputs(files, [{ config, words }]);
  return output!;
}

/** One run of a compiler. */
interface CompilerRun {
  /** The tsconfig.json. */
  readonly config: object;
  readonly words?: readonly string[];
  /** Package folder of the compiler; default: the installed one. */
  readonly compiler?: string;
}

/** Returns the output of compilers for the same files, by run. */
export async function compilerOutputs(files: Files, runs: readonly CompilerRun[]): Promise<string[]> {
  // Inside the project, so that packages are found.
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-compiled-"));
  try {
    const all = [
      ["package.json", '{ "type": "module" }'],
      ...files,
      ...runs.map(({ config }, index) => [`tsconfig.${index}.json`, JSON.stringify(config)]),
    ];
    for (const [path, content] of all as [string, string][]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const outputs: string[] = [];
    for (const [index, { words = [], compiler }] of runs.entries())
      outputs.push(
        await outputOf(
          ["-p", join(folder, `tsconfig.${index}.json`), "--pretty", "false", ...words],
          compiler,
        ),
      );
    return outputs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the errors of files under the strictest TypeScript settings, one per line. Modules that turn off the compiler are
 * checked only for errors about names.
 *
 * @param types packages of ambient types, such as `node`, which the sources of the runtime need
 */
export async function compilerErrors(files: Files, types: readonly string[] = []): Promise<string[]> {
  const config = { compilerOptions: { ...strictest, types }, include: ["**/*.ts"] };
  const checked = new Map([...files].map(([path, text]) => [path, checkedWhole(text)]));
  const lines = (await compilerOutput(checked, config)).split("\n").filter((line) => line.trim() !== "");
  const errors = lines.map((line) => line.replace(/^.*mcpgen-compiled-\w+\//, ""));
  let counts = true;
  return errors.filter((line) => {
    // An indented line continues the error above.
    const [, path, code = ""] = /^(\S.*?)\(\d+,\d+\): error TS(\d+):/.exec(line) ?? [];
    if (path !== undefined) counts = aboutNames.has(code) || !nocheck.test(files.get(path) ?? "");
    return counts;
  });
}

function outputOf(words: readonly string[], folder = "node_modules/typescript"): Promise<string> {
  return new Promise((done, reject) => {
    const compiler = spawn(process.execPath, [join(folder, "bin/tsc"), ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    compiler.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    compiler.on("error", reject);
    compiler.on("close", (code, signal) => {
      // A compiler that failed without output has checked nothing.
      if (code === 0 || text.trim() !== "") done(text);
      else reject(new Error(`The compiler ended with ${signal ?? `exit code ${code}`} and no error.`));
    });
  });
}
