import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { parseNotes } from "../../../../generator/notes/parse.js";
import { type NoteText, object } from "../../../support/models.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";
import { answering, stepFiles } from "./between.js";

/** Names of functions, parameters and modules in files of steps. */
const names = [
  ...["required", "list", "valueAt", "objectOf", "isObject", "others"],
  ...["item", "whole", "value", "report", "at"],
  ...["previous", "validators", "textPatterns", "StepReport"],
];

const text = { type: "string" };
const said = object({ type: { type: "string", const: "text" }, text }, ["type", "text"]);

/** The files of steps between lists of objects with a member of a name, which texts say, too. */
function stepsWith(name: string): Map<string, string> {
  const listed = object({ [name]: text, kept: text });
  const hint = object({ type: { type: "string", const: "hint" }, [name]: text }, ["type", name]);
  const lists = (member: string): JsonValue =>
    object({ [member]: { type: "array", items: listed }, arm: { $ref: "#/$defs/Arm" } }, [member]);
  const why = { previous: "r1", reason: "Because.", link: "" };
  const words = `the ${name}, ${name}.is`;
  const notes = [
    {
      ...{ ...why, kind: "reshaped", target: "/$defs/DoResult" },
      lift: { items: { $each: "/list", make: { [name]: words, kept: { $: "./kept" } } } },
      lower: { list: { $each: "/items", make: { [name]: words, kept: { $: "./kept" } } } },
    },
    { ...why, kind: "lower", target: "/$defs/Hint", how: "text", text: `${words} {${name}}` },
  ];
  return stepFiles(
    answering("r1", lists("list"), { Arm: { anyOf: [{ $ref: "#/$defs/Said" }] }, Said: said }),
    answering(
      "r2",
      lists("items"),
      { Arm: { anyOf: [{ $ref: "#/$defs/Said" }, { $ref: "#/$defs/Hint" }] }, Said: said, Hint: hint },
      parseNotes({ file: "notes.json", value: { format: 1, notes } }) as unknown as NoteText[],
    ),
  );
}

test("members and texts with the names of functions do not use these functions", async () => {
  const model = readFileSync("generated/model.ts", "utf8");
  const files = names.flatMap((name) => {
    const all = [...stepsWith(name), ["model.ts", model] as const];
    expect(new Map(all).get("r2/steps.ts")).toContain(`${name}: "the ${name}, `);
    return all.map(([path, content]) => [`${name}/${path}`, content] as const);
  });
  // Modules without steps import others, which are not there.
  const errors = await compilerErrors(new Map(files));
  expect(errors.filter((error) => /steps\.ts|stepping\.ts/.test(error))).toEqual([]);
});
