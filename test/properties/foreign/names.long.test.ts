import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { capitalised } from "../../../generator/print/names.js";
import { preludeNames } from "../../../generator/emit/validators/prelude.js";
import { type Random, randomFrom } from "../../../generator/sample/random.js";
import { cases, seed } from "../../support/cases.mjs";
import { compilerErrors } from "../../support/typescript-compiler.js";
import { type Outcome, contractOutput, protocolOutput, randomProtocol, randomTool } from "./output.js";

// Whatever word of the output a schema has as a name, of a definition, a member, a message, a tool or a prompt: what is generated
// from it compiles.

/** What TypeScript and emitted code may mean by a word without declaring it. */
const globals =
  "Array ArrayLike Awaited BigInt Boolean Date Error Exclude Extract Function Generator Infinity Iterator JSON Map Math NaN " +
  "NonNullable Number Object Omit Partial Pick Promise Readonly ReadonlyArray ReadonlyMap ReadonlySet Record RegExp Required " +
  "Set String Symbol URL Uint8Array WeakMap globalThis process undefined";

/** What names of definitions become in the output, and what other generators make of them. */
function derived(name: string): readonly string[] {
  const word = capitalised(name);
  const functions = ["is", "accepts", "explain", "check", "parse", "assert"].map((prefix) => prefix + word);
  const values = functions.slice(0, 2).flatMap((each) => [`${each}_deep`, `${each}_part`, `${each}2`]);
  const constants = [`pattern${word}_1`, `values${word}_1`, `Type${word}`, `type${word}`];
  return [...functions, ...values, ...constants, `Open${word}`, `${name}Schema`, `${name}_`, `${name}2`];
}

/** All words of the output of two random schemas, and those that stand in no output but may. */
async function wordsOfOutput(): Promise<readonly string[]> {
  const outcomes = [
    await protocolOutput("R", randomProtocol(0)),
    await contractOutput("C", [randomTool(0), randomTool(1)], offers(randomFrom("offers"), ["a", "b", "c"])),
  ];
  const texts = filesOf(outcomes).map(([, text]) =>
    text.replace(/\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\]|\\.)*"/g, " "),
  );
  const words = texts.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []);
  return [
    ...new Set([...globals.split(" "), ...preludeNames, ...words, ...derived("Foo"), ...derived("foo")]),
  ];
}

/** What a contract offers beside tools. */
function offers(random: Random, words: readonly string[]): JsonObject {
  const [prompt, resource, template] = [random.pick(words), random.pick(words), random.pick(words)];
  return {
    prompts: [{ name: prompt, arguments: [{ name: random.pick(words) }] }],
    resources: [{ name: resource, uri: "note://one" }],
    resourceTemplates: [{ name: template, uriTemplate: "note://{id}" }],
  };
}

function filesOf(outcomes: readonly Outcome[]): (readonly [string, string])[] {
  expect(outcomes.flatMap(({ crash = [], refusal = [] }) => [crash, refusal].flat())).toEqual([]);
  return outcomes.flatMap(({ files }) => [...files]);
}

/** Schemas, half of them of protocols and half of contracts; each has a dozen definitions. */
const count = cases(500, 16);
const batch = 100;

test.each(Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch))(
  "schemas from number %i on compile",
  async (from) => {
    const words = await wordsOfOutput();
    // The unions of all messages are called ClientRequest and ServerResult.
    const messages = words.filter((word) => !/^(?:client|server)$/i.test(word));
    const outcomes: Outcome[] = [];
    for (let index = from; index < Math.min(from + batch, count); index++) {
      const random = randomFrom(`${seed}: names ${index}`);
      const some = (length: number): string[] => [
        ...new Set(Array.from({ length }, () => random.pick(words))),
      ];
      // Messages have other definitions, and a member by which they are known.
      const vocabulary = {
        definitions: some(12).filter((name) => !/.(?:Request|Result|Notification)$/.test(name)),
        members: some(12).filter((name) => name !== "method"),
      };
      if (index % 2 === 0)
        outcomes.push(
          await protocolOutput(
            `R${index}`,
            randomProtocol(index, { vocabulary, message: capitalised(random.pick(messages)) }),
          ),
        );
      else {
        const tools = some(6).map((name, at) => randomTool(10 * index + at, vocabulary, name));
        const more = { ...offers(random, words), name: random.pick(words) };
        outcomes.push(await contractOutput(`C${index}`, tools, more));
      }
    }
    expect(await compilerErrors(new Map(filesOf(outcomes)), ["node"])).toEqual([]);
  },
);
