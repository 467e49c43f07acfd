import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const options = {
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
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
};

/**
 * What the strictest TypeScript says of files: an error a line; nothing, if they compile.
 *
 * @param types packages of ambient types, such as `node`, which the runtime takes where it is read from source
 */
export async function compilerErrors(
  files: ReadonlyMap<string, string>,
  types: readonly string[] = [],
): Promise<string[]> {
  // Inside the project, so that packages are found.
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-foreign-"));
  try {
    const config = { compilerOptions: { ...options, types }, include: ["**/*.ts"] };
    const all = [
      ...files,
      ["package.json", '{ "type": "module" }'],
      ["tsconfig.json", JSON.stringify(config)],
    ];
    for (const [path, content] of all as [string, string][]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const output = await outputOf(["node_modules/typescript/bin/tsc", "-p", folder, "--pretty", "false"]);
    const lines = output.split("\n").filter((line) => line.trim() !== "");
    return lines.map((line) => line.slice(Math.max(0, line.indexOf(`${folder.split("/").at(-1)}/`))));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outputOf(words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const compiler = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    compiler.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    compiler.on("error", reject);
    compiler.on("close", (code, signal) => {
      // Without a word said, a compiler that failed judged nothing.
      if (code === 0 || text.trim() !== "") resolve(text);
      else reject(new Error(`The compiler ended with ${signal ?? `exit code ${code}`} and no error.`));
    });
  });
}
