import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";
import { compilerErrors } from "../../support/typescript-compiler.js";
import {
  type Outcome,
  type Tool,
  contractOutput,
  protocolOutput,
  randomProtocol,
  randomTool,
} from "./output.js";

// Random schemas with every keyword: the output of each schema compiles in strict mode.

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

/** Schemas of one argument whose output once did not compile. */
const once: Readonly<Record<string, object>> = {
  "a pattern that asks for a beginning, where a number was asked for before": {
    anyOf: [{ exclusiveMaximum: 0.5 }, { pattern: "^x-" }],
  },
  "an optional item that is an array and leads back": {
    $ref: "#/properties/a/$defs/tree",
    $defs: {
      tree: {
        anyOf: [
          {
            type: "array",
            prefixItems: [{}, { type: "array", items: { $ref: "#/properties/a/$defs/tree" } }],
          },
          { type: "string" },
        ],
      },
    },
  },
  "further items of a tuple that are arrays and lead back": {
    $ref: "#/properties/a/$defs/list",
    $defs: {
      list: {
        anyOf: [
          {
            type: "array",
            prefixItems: [{ type: "integer" }],
            minItems: 1,
            items: {
              anyOf: [{ type: "array", items: { $ref: "#/properties/a/$defs/list" } }, { type: "null" }],
            },
          },
          { type: "string" },
        ],
      },
    },
  },
};

test.each(Object.entries(once))("%s", async (_, a) => {
  const inputSchema = { type: "object", properties: { a } } as Tool["inputSchema"];
  const outcome = await contractOutput("once", [{ name: "t", inputSchema }]);
  expect(await compilerErrors(expectTaken([outcome]), ["node"])).toEqual([]);
});
