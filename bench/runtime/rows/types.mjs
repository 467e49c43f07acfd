import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { typed } from "../typed.mjs";

const folder = fileURLToPath(new URL("../node_modules/.cache/types/", import.meta.url));
const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const many = 50;

/** What the compiler does for one more tool of five fields: the difference between servers of 50 tools and of 1. */
export const typesRow = { name: "TypeScript instantiations a tool", unit: "", bar: 15, measure };

async function measure() {
  const values = new Map();
  for (const [name, source] of Object.entries(typed)) {
    const between = instantiations(name, source(many)) - instantiations(name, source(1));
    values.set(name, between / (many - 1));
  }
  return values;
}

function instantiations(name, source) {
  const project = `${folder}${name}/`;
  mkdirSync(project, { recursive: true });
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
