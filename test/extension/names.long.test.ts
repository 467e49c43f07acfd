import type { JsonObject } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { capitalised } from "../../generator/print/text.js";
import { type Random, randomFrom } from "../../generator/sample/values.js";
import { cases, seed } from "../support/cases.mjs";
import { generate, releasedSource } from "../support/generated-output.js";
import { revisions, schemaOf } from "../support/revisions.js";
import { compilerErrors } from "../support/typescript-compiler.js";
import { type ExtensionText, stored } from "./models.js";
import { randomExtension } from "./random-extension.js";

// The output compiles for all names of definitions, also if they are names of definitions of the base, of functions of
// the output or of modules.

const words = [
  ...schemaOf("2026-07-28").definitions.keys(),
  ...[
    "Messages",
    "AddedMembers",
    "ClientRequests",
    "ServerNotifications",
    "ClientResults",
    "Open",
    "Members",
  ],
  ...["isTool", "acceptsTool", "explainTool", "OpenTool", "BaseTool", "Tool_", "isTool_deep", "tool"],
  ...["types", "baseTypes", "validators", "baseValidators", "sendTable", "byMethod", "process", "settle"],
  ...["clientTable", "serverTable", "clientSends", "clientSteps", "clientExtension", "extension", "revision"],
  ...["Array", "Map", "Record", "Object", "Number", "Promise", "Omit", "Set", "String"],
];

/**
 * Renames the definitions of an extension. The names of a message, its params and its result still begin with the same
 * words.
 */
function renamed(text: ExtensionText, random: Random): ExtensionText {
  const starts = new Map<string, string>();
  const names = new Map<string, string>();
  for (const name of Object.keys(text.definitions)) {
    const [, start, end = ""] = /^(.+?)(Request|Result|Notification|Params|Item)?$/.exec(name)!;
    let given = starts.get(start!);
    while (given === undefined || [...names.values()].includes(given + end)) {
      const word = random.pick(words);
      given = end === "" ? word : capitalised(word);
      starts.set(start!, given);
    }
    names.set(name, given + end);
  }
  const written = JSON.stringify({ definitions: text.definitions, notes: text.notes, about: text.about });
  const replaced = written.replace(/"(#?\/\$defs\/)?(\w+)(?=["/])/g, (all, start = "", name) =>
    names.has(name as string) ? `"${start}${names.get(name as string)!}` : all,
  );
  return { ...text, ...(JSON.parse(replaced) as { definitions: JsonObject }) };
}

test("extensions with names that the output has compile", async () => {
  const extensions = Array.from({ length: cases(200, 12) }, (_, number) =>
    stored(renamed(randomExtension(seed, number), randomFrom(`${seed}: names of extension ${number}`))),
  );
  const { files } = await generate(revisions.map(releasedSource), { extensions });
  const code = new Map([...files].filter(([path]) => path.endsWith(".ts")));
  expect(await compilerErrors(code)).toEqual([]);
});
