import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ours } from "../contenders.mjs";
import { mistaken } from "../mistaken.mjs";
import { contractOf, handlersOf, typed } from "../typed.mjs";

const folder = fileURLToPath(new URL("../node_modules/.cache/types/", import.meta.url));
const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const cli = fileURLToPath(new URL("../../../dist/generator/cli.js", import.meta.url));
const many = 50;

/**
 * The type checker's work for one more tool of five fields: the difference between a server with 50 tools and
 * a server with one tool. Each row compares implementations that infer their types from the same kind of
 * schema.
 */
export const typesRows = [
  { name: "mistakes that do not compile, of 11", unit: "", measure: async () => mistakesCaught() },
  { name: "TypeScript instantiations a tool, contract", unit: "", bar: 15, measure: ofContract },
  ...Object.entries(typed).map(([kind, sources]) => ({
    name: `TypeScript instantiations a tool, ${kind}`,
    unit: "",
    measure: async () => measure(kind, sources),
  })),
];

/** Only mcpgen has contracts: this measures the code generated from one, with a handler for each tool. */
async function ofContract() {
  const between =
    instantiations("contract-many", handlersOf(many), contractOf(many)) -
    instantiations("contract-one", handlersOf(1), contractOf(1));
  return new Map([[ours, between / (many - 1)]]);
}

function measure(kind, sources) {
  const values = new Map();
  for (const [name, source] of Object.entries(sources)) {
    const project = `${kind.replaceAll(" ", "-")}-${name}`;
    const between = instantiations(project, source(many)) - instantiations(project, source(1));
    values.set(name, between / (many - 1));
  }
  return values;
}

/** Counts the edits of a correct program that the compiler refuses. */
function mistakesCaught() {
  const values = new Map();
  for (const [name, { program, edits }] of Object.entries(mistaken)) {
    const project = `${folder}mistakes-${name}/`;
    mkdirSync(project, { recursive: true });
    for (const [index, [from, to]] of [["", ""], ...edits].entries()) {
      if (from !== "" && program.split(from).length !== 2)
        throw new Error(`${name}: ${from} does not stand once`);
      writeFileSync(`${project}program-${index}.ts`, program.replace(from, to));
    }
    writeFileSync(`${project}tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
    const wrong = new Set([...stdout.matchAll(/program-(\d+)\.ts\(.*error TS/g)].map(([, index]) => index));
    if (wrong.has("0")) throw new Error(stdout);
    values.set(name, wrong.size);
  }
  return values;
}

function instantiations(name, source, contract) {
  const project = `${folder}${name}/`;
  mkdirSync(project, { recursive: true });
  if (contract) {
    writeFileSync(`${project}contract.json`, JSON.stringify(contract));
    const words = ["generate", "--contract", "contract.json", "--out", "out", "--force", "--quiet"];
    execFileSync(process.execPath, [cli, ...words], { cwd: project, stdio: "inherit" });
  }
  writeFileSync(`${project}main.ts`, source);
  writeFileSync(`${project}tsconfig.json`, JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  const report = execFileSync(
    process.execPath,
    [tsc, "-p", project, "--extendedDiagnostics", "--singleThreaded"],
    {
      encoding: "utf8",
    },
  );
  return Number(/^Instantiations:\s+(\d+)$/m.exec(report)[1]);
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  module: "nodenext",
  target: "es2023",
  skipLibCheck: true,
  types: ["node"],
};
