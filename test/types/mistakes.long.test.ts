import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { compilerOutput, projectConfig } from "../support/typescript-compiler.js";
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
async function refused(
  programs: ReadonlyMap<string, string>,
  generated: ReadonlyMap<string, string> = new Map(),
): Promise<string[]> {
  const names = [...programs.keys()];
  const files = new Map(generated);
  for (const [index, program] of [...programs.values()].entries()) files.set(`program-${index}.ts`, program);
  const output = await compilerOutput(files, { ...projectConfig, include: ["*.ts"] });
  const wrong = [...output.matchAll(/program-(\d+)\.ts\(.*error TS/g)].map(([, index]) => Number(index));
  return [...new Set(wrong)].map((index) => names[index]!);
}

test("mistakes in servers written in code do not compile, for schemas of every library", async () => {
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
  expect((await refused(programs)).sort()).toEqual(mistaken.sort());
});

test("mistakes in servers of a contract do not compile", async () => {
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
  expect((await refused(programs, generated)).sort()).toEqual(
    [...programs.keys()].filter((name) => name !== "right").sort(),
  );
});
