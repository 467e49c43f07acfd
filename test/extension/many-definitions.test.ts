import { expect, test } from "vitest";
import { extensionVocabulary } from "../../generator/targets/typescript/extension/authoring.js";
import type { ExtensionModel } from "../../generator/model/extension-model.js";
import { smallSchemaText } from "../support/small-protocol.js";
import { generate, writtenSource } from "../support/generated-output.js";
import { request, result, stored } from "./models.js";

/** The model of an extension with that many definitions, each of which refers to the next. */
async function ringOf(count: number): Promise<ExtensionModel> {
  const { $defs, ...rest } = JSON.parse(smallSchemaText) as { $defs: object };
  const base = JSON.stringify({
    ...rest,
    $defs: {
      ...$defs,
      JSONRPCRequest: { type: "object", required: ["method"], properties: { method: { type: "string" } } },
      Result: { type: "object" },
    },
  });
  const links = Array.from({ length: count }, (_, index) => [
    `Link${index}`,
    { type: "object", properties: { next: { $ref: `#/$defs/Link${(index + 1) % count}` } } },
  ]);
  const { extensions } = await generate([writtenSource("r1", base)], {
    only: ["types"],
    extensions: [
      stored({
        id: "com.example/ring",
        bases: ["r1"],
        definitions: {
          ...(Object.fromEntries(links) as object),
          FindRequest: request("ring/find"),
          FindResult: result({ first: { $ref: "#/$defs/Link0" } }),
        },
        notes: [{ kind: "sender", target: "ring/find", sender: "client" }],
      }),
    ],
  });
  return extensions[0]!.models[0]!;
}

/** `model`, and how often the list of its definitions has been read. */
function counted(model: ExtensionModel): { readonly model: ExtensionModel; readonly reads: () => number } {
  let reads = 0;
  const schema = new Proxy(model.schema, {
    get: (target, key) => {
      if (key === "definitions") reads++;
      return Reflect.get(target, key) as unknown;
    },
  });
  return { model: { ...model, schema }, reads: () => reads };
}

test("the names of an extension's types are computed once, not for each definition", async () => {
  const few = counted(await ringOf(20));
  const many = counted(await ringOf(40));
  const namesOf = ({ model }: typeof few): number => extensionVocabulary({ models: [model] }).names.size;
  expect(namesOf(many) - namesOf(few)).toBe(20);
  // The list is read once for each type that messages reach, and once for the names of all definitions.
  expect(many.reads() - few.reads()).toBeLessThanOrEqual(20);

  const before = many.reads();
  extensionVocabulary({ models: [many.model] });
  expect(many.reads(), "a second file").toBe(before);
});
