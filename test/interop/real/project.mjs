import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const cli = join(root, "dist/generator/cli.js");
const compiler = join(root, "node_modules/typescript/bin/tsc");

/** A folder inside the repository, from which packages are found. */
export async function projectFolder() {
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "mcpgen-real-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs mcpgen: `{ code, stdout, stderr }`. */
export function mcpgen(folder, ...words) {
  return run([cli, ...words], folder);
}

/** Type-checks a whole project at once, and writes the JavaScript. */
export async function compile(folder) {
  const options = {
    noEmit: false,
    outDir: "js",
    rootDir: ".",
    customConditions: [],
    exactOptionalPropertyTypes: true,
    // This skips only declarations of packages, because the generated code contains no declaration files.
    skipLibCheck: true,
  };
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: options,
    include: ["*/**/*.ts"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  return run([compiler, "-p", folder], folder);
}

function run(args, cwd) {
  return new Promise((resolve) => {
    const options = { cwd, encoding: "utf8", maxBuffer: 1 << 26, env: { ...process.env, CI: "" } };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

/** The SOURCE of a server, with the options that set its environment. */
export function sourceOf({ args, env = {} }) {
  const words = [process.execPath, ...args].map((word) => JSON.stringify(word));
  return [
    `stdio:${words.join(" ")}`,
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
}

/**
 * Writes `calls.ts` beside the generated client: a call of each tool with each of its arguments, as literals, so that
 * the compiler judges them, and the server's other calls.
 *
 * @param argumentsOf gives the arguments to call a tool with
 */
export async function writeCalls(out, contract, { more = [] }, argumentsOf) {
  const client = await readFile(join(out, "client.ts"), "utf8");
  const [, made] = /^export function (\w+)\(/m.exec(client);
  // The rows of `tools`, up to those of the next list.
  const [, rows] = /^ {4}tools: \[([^]*?)(?:^ {4}\w+: [[{]|^ {2}\}\))/m.exec(client);
  const methods = new Map(
    [...rows.matchAll(/\[\s*("(?:\w|\$)+"),\s*("(?:[^"\\]|\\.)*")/g)].map(([, method, name]) => [
      JSON.parse(name),
      JSON.parse(method),
    ]),
  );
  const tools = contract.tools.map((tool) => {
    const calls = argumentsOf(tool).map(
      (given) => `() => client.tools.${methods.get(tool.name)}(${literal(given)})`,
    );
    return `  [${JSON.stringify(tool.name)}]: [${calls.join(", ")}],\n`;
  });
  await writeFile(
    join(out, "calls.ts"),
    `import type { Client } from "@mcpgen/runtime";
import { ${made} } from "./client.js";

export const callsOf = (runtime: Client) => {
  const client = ${made}(runtime);
  const tools = {
${tools.join("")}  };
  const others: (() => Promise<unknown>)[] = [${more.map((call) => `() => client.${call}`).join(", ")}];
  return { tools, others };
};
`,
  );
}

/** JSON as TypeScript: `__proto__` needs brackets to be a member. */
function literal(value) {
  return JSON.stringify(value).replaceAll('"__proto__":', '["__proto__"]:');
}
