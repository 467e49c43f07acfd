import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import {
  contract,
  contractProgram,
  flavours,
  mistakesByContract,
  mistakesIn,
  programOf,
  renamedContract,
} from "./mistakes.js";

/**
 * Compiles programs, and gives the names of those that do not compile.
 *
 * @param generated files beside them
 */
function refused(
  programs: ReadonlyMap<string, string>,
  generated: ReadonlyMap<string, string> = new Map(),
): string[] {
  // Inside the project, so that packages are found.
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-mistakes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const names = [...programs.keys()];
  for (const [path, content] of generated) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  for (const [index, program] of [...programs.values()].entries())
    writeFileSync(join(folder, `program-${index}.ts`), program);
  const compilerOptions = { skipLibCheck: true };
  const config = { extends: resolve("tsconfig.base.json"), compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], {
    encoding: "utf8",
  });
  const wrong = [...stdout.matchAll(/program-(\d+)\.ts\(.*error TS/g)].map(([, index]) => Number(index));
  return [...new Set(wrong)].map((index) => names[index]!);
}

test("mistakes in servers written in code do not compile, whatever schemas are written with", () => {
  const programs = new Map<string, string>();
  const mistaken: string[] = [];
  for (const [flavour, written] of Object.entries(flavours)) {
    const program = programOf(written);
    programs.set(flavour, program);
    for (const { name, from, to } of mistakesIn(written)) {
      expect(program.split(from), `${flavour}: ${from}`).toHaveLength(2);
      programs.set(`${flavour}: ${name}`, program.replace(from, to));
      mistaken.push(`${flavour}: ${name}`);
    }
  }
  expect(mistaken).toHaveLength(4 * 11);
  expect(refused(programs).sort()).toEqual(mistaken.sort());
});

test("nor do they in servers of a contract", async () => {
  const generated = new Map<string, string>();
  for (const [folder, given] of Object.entries({ out: contract, renamed: renamedContract })) {
    const document = await readContract(JSON.stringify(given), "trips.json");
    const { files } = await generateContract({ document, role: "server", importExtension: "js" });
    for (const [path, content] of files) generated.set(`${folder}/${path}`, content);
  }
  const programs = new Map([["right", contractProgram]]);
  for (const { name, from, to } of mistakesByContract()) {
    expect(contractProgram.split(from), from).toHaveLength(2);
    programs.set(name, contractProgram.replace(from, to));
  }
  expect(programs.size).toBe(12);
  expect(refused(programs, generated).sort()).toEqual(
    [...programs.keys()].filter((name) => name !== "right").sort(),
  );
});
