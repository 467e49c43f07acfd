import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { compilerErrors } from "../../support/typescript-compiler.js";
import { type Outcome, contractOutput, protocolOutput, randomProtocol, randomTool } from "./output.js";

// Random schemas of every keyword: whatever a schema says, what is generated from it compiles, strictly.

/** Schemas, half of them of protocols and half of tools. */
const count = cases(2000, 12);
const batch = 200;
const toolsOfContract = 10;

const batches = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);

function expectTaken(outcomes: readonly Outcome[]): ReadonlyMap<string, string> {
  expect(outcomes.flatMap(({ crash = [] }) => crash)).toEqual([]);
  expect(outcomes.flatMap(({ refusal = [] }) => refusal)).toEqual([]);
  return new Map(outcomes.flatMap(({ files }) => [...files]));
}

test.each(batches)("protocols from number %i on compile", async (from) => {
  const outcomes: Outcome[] = [];
  const end = Math.min(from + batch, count);
  for (let index = from; index < end; index++)
    outcomes.push(await protocolOutput(`R${index}`, randomProtocol(index)));
  expect(await compilerErrors(expectTaken(outcomes))).toEqual([]);
});

test.each(batches)("tools from number %i on compile", async (from) => {
  const outcomes: Outcome[] = [];
  const end = Math.min(from + batch, count);
  for (let start = from; start < end; start += toolsOfContract) {
    const length = Math.min(toolsOfContract, end - start);
    const tools = Array.from({ length }, (_, index) => randomTool(start + index));
    outcomes.push(await contractOutput(`C${start}`, tools));
  }
  expect(await compilerErrors(expectTaken(outcomes), ["node"])).toEqual([]);
});
