import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { type Ran, mcpgen } from "../../support/in-process.js";
import { type Definitions, declare, membersOf, rename } from "../../support/schema-changes/edits.js";
import { smallProject, smallSchema } from "../../support/small-protocol.js";
import {
  type Asked,
  type Report,
  everything,
  next,
  projectWith,
  reportOf,
  upgrade,
} from "../../support/made-up-revision.js";

/** The notes file with the answer of a question pasted at its place. */
function pasted(file: string, { paste, at }: Asked): string {
  const present = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { notes: JsonObject[] })
    : { format: 1, notes: [] };
  const notes = [...present.notes];
  const place = Number(at.slice("/notes/".length));
  if (Number.isInteger(place)) notes.splice(place, 1, ...paste);
  else notes.push(...paste);
  return JSON.stringify({ ...present, notes });
}

/** The questions that notes answer. */
function questionsOf({ decisions }: Report): Asked[] {
  return decisions.flatMap(({ file, questions }) =>
    file?.endsWith("notes.json") ? questions.filter(({ paste }) => paste.length > 0) : [],
  );
}

/** A key of the notes that a question proposes: their kinds, targets and fields, without the reason and the link. */
function keyOf({ paste }: Asked): string {
  return JSON.stringify(paste.map((note) => ({ ...note, reason: "", link: "" })));
}

/** The error on standard error, beside what is assumed. */
function errorIn({ stderr }: Ran): string | undefined {
  return stderr.split("\n").find((line) => line.includes("error MG"));
}

/** Whether a question is about values at the other revision. Its notes assume renames that other questions propose. */
function isAboutValues({ paste }: Asked): boolean {
  return paste.some(({ kind }) => kind === "lower" || kind === "lift");
}

/**
 * Pastes each answer alone, and renames together with the answers that depend on them. Expects that the project then
 * generates, and that the question is not asked again.
 */
async function expectAnswers(folder: string, ask: () => Promise<Report>): Promise<string[]> {
  const file = join(folder, "schema", next, "notes.json");
  const asked = questionsOf(await ask());
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  for (const question of asked) {
    if (before !== undefined) writeFileSync(file, before);
    const renamed = asked.filter(({ paste }) => isAboutValues(question) && paste[0]?.["kind"] === "renamed");
    for (const each of [...renamed, question]) writeFileSync(file, pasted(file, each));
    const generated = await mcpgen(folder, ["generate", "--only", "methods,steps,validators,types"]);
    expect([question.text, generated.code, errorIn(generated)]).toEqual([question.text, 0, undefined]);
    const again = questionsOf(await ask()).map(keyOf);
    expect(again).not.toContain(keyOf(question));
  }
  return asked.flatMap(({ paste }) =>
    paste.map((note) => `${String(note["kind"])} ${String(note["target"])}`),
  );
}

test("each note that is proposed for the newest schema can be pasted, and has its effect", async () => {
  const folder = projectWith(everything);
  expect((await upgrade(folder)).code).toBe(0);
  const kinds = await expectAnswers(folder, () => reportOf(folder, "--dry-run", "--force"));
  expect(kinds).toEqual(
    expect.arrayContaining([
      "lower /$defs/VideoContent",
      expect.stringMatching(/^lift .*origin/),
      "renamed /$defs/Tool/properties/parameters",
      "capability events/list",
      "capability notifications/events/list_changed",
      "capability completion/suggest",
      "header events/read",
      expect.stringMatching(/^cacheable .*events\/list$/),
      "subscription notifications/events/list_changed",
      "open /$defs/Volume",
      "error -32050",
    ]),
  );
  expect(kinds.some((kind) => kind.startsWith("extends "))).toBe(true);
});

/** Methods with other names, a request and one that is answered as its stream ends; and the mark of a union of definitions. */
function renamedThings(definitions: Definitions): void {
  for (const [name, method] of [
    ["DiscoverRequest", "server/describe"],
    ["SubscriptionsListenRequest", "events/listen"],
  ] as const)
    declare(definitions[name]!, { method: { const: method, type: "string" } });
  for (const name of ["TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"])
    rename(definitions[name]!, "type", "kind");
  declare(definitions["BlobResourceContents"]!, { kind: { const: "blob", type: "string" } }, ["kind"]);
}

test.each([
  { what: "something of everything", change: everything },
  { what: "other names", change: renamedThings },
])("all notes together generate, too: $what", async ({ change }) => {
  const folder = projectWith(change);
  await upgrade(folder);
  const file = join(folder, "schema", next, "notes.json");
  const asked = questionsOf(await reportOf(folder, "--dry-run", "--force"));
  expect(asked.some(({ paste }) => paste[0]?.["kind"] === "renamed")).toBe(true);
  for (const question of asked) writeFileSync(file, pasted(file, question));
  const generated = await mcpgen(folder, ["generate", "--only", "methods,steps"]);
  expect([generated.code, errorIn(generated)]).toEqual([0, undefined]);
});

test.each(["CreateMessageRequest", "DiscoverRequest"])(
  "a note about another name of %s is proposed once",
  async (name) => {
    const folder = projectWith((definitions) => {
      const { method } = membersOf(definitions[name]!) as { method: { const: string } };
      method.const += "/changed";
    });
    const file = join(folder, "schema", next, "notes.json");
    const asked = questionsOf(await reportOf(folder));
    const about = asked.filter(({ paste }) => JSON.stringify(paste).includes("/changed"));
    expect(about).not.toEqual([]);
    for (const question of asked) writeFileSync(file, pasted(file, question));
    const generated = await mcpgen(folder, ["generate", "--only", "methods"]);
    expect([generated.code, errorIn(generated)]).toEqual([0, undefined]);
  },
);

test("for a value with another constant in the new revision, that constant is proposed", async () => {
  const folder = projectWith((definitions) =>
    declare(definitions["ResourceLink"]!, { type: { const: "link", type: "string" } }),
  );
  const notes = questionsOf(await reportOf(folder)).flatMap(({ paste }) => paste);
  const target = "/$defs/ResourceLink/properties/type";
  expect(notes).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ kind: "lift", target, how: "fill", value: "link" }),
      expect.objectContaining({ kind: "lower", target, how: "fill", value: "resource_link" }),
    ]) as object,
  );
});

test("the assumptions about a protocol without notes are one file to paste", async () => {
  const { ClientRequest: _, ...rest } = smallSchema.$defs;
  const text = { type: "string" };
  const volume = { type: "string", enum: ["low", "high"] };
  const changed = {
    ...smallSchema,
    $defs: {
      ...rest,
      Volume: volume,
      SingRequest: {
        type: "object",
        properties: {
          method: { const: "sing" },
          params: { type: "object", properties: { volume: { $ref: "#/$defs/Volume" } } },
        },
        required: ["method", "params"],
      },
      TooLoudError: {
        type: "object",
        properties: { code: { const: -32020 }, message: text },
        required: ["code"],
      },
    },
  };
  const folder = await smallProject({ "next.json": JSON.stringify(changed) });
  expect((await upgrade(folder)).code).toBe(0);
  const report = await reportOf(folder, "--dry-run");
  const [whole, ...others] = questionsOf(report);
  expect(others).toEqual([]);
  expect(whole!.paste.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["open", "error", "sender"]));
  const file = join(folder, "schema", next, "notes.json");
  writeFileSync(file, pasted(file, whole!));
  const generated = await mcpgen(folder, ["generate"]);
  expect([generated.code, errorIn(generated)]).toEqual([0, undefined]);
  const assumed = (await reportOf(folder, "--dry-run")).decisions.filter(({ kind }) => kind === "assumption");
  expect(assumed.map(({ title }) => title).join()).not.toMatch(/open|error|sender/);
});
