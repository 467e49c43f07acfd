// Changes that would silently break at an upgrade: the report begins with them, and contains the notes to paste.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ran, mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema } from "../support/small-protocol.js";

const text = { type: "string" };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const object = (properties: object, required: string[]) => ({ type: "object", properties, required });
const common = { reason: "It is so.", link: "https://example.com" };
const newName = "2031-01-01";

/** The small protocol, whose answers may also be requests for input, and others. */
function withAnswers(...arms: string[]): string {
  const result = { anyOf: ["EchoResult", ...arms].map(ref) };
  return JSON.stringify({
    ...smallSchema,
    $defs: {
      ...smallSchema.$defs,
      EchoResult: object({ text, kind: text }, ["text", "kind"]),
      AskingResult: object({ kind: text }, ["kind"]),
      ...(arms.includes("UnchangedResult") && {
        UnchangedResult: object({ kind: { ...text, const: "unchanged" } }, ["kind"]),
      }),
      EchoResultResponse: object({ jsonrpc: text, id: text, result }, ["jsonrpc", "id", "result"]),
    },
  });
}

interface Decided {
  readonly kind: string;
  readonly risk?: string;
  readonly items: readonly string[];
}
const decisionsOf = ({ stdout }: Ran): readonly Decided[] =>
  (JSON.parse(stdout) as { decisions: Decided[] }).decisions;
const upgrade = (folder: string, ...more: string[]): Promise<Ran> =>
  mcpgen(folder, ["upgrade", "next/schema.json", "--name", newName, ...more]);
const codesOf = async (folder: string, ...args: string[]): Promise<string[]> => {
  const { stdout } = await mcpgen(folder, [...args, "--json"]);
  return (JSON.parse(stdout) as { findings: { code: string }[] }).findings.map(({ code }) => code);
};

test("a carried note that hides an answer of the schema is reported by upgrade, generate and check until it is mended", async () => {
  const folder = await smallProject({
    "2030-01-01/schema.json": withAnswers("AskingResult"),
    "next/schema.json": withAnswers("AskingResult", "UnchangedResult"),
  });
  const note = {
    ...{ kind: "pairing", target: "echo", result: "EchoResult", alternatives: ["AskingResult"] },
    alternativeMark: { kind: "asks" },
    ...common,
  };
  const before = join(folder, "schema/2030-01-01/notes.json");
  writeFileSync(before, JSON.stringify({ format: 1, notes: [note] }));
  expect(await codesOf(folder, "generate")).not.toContain("MG1207");

  const ran = await upgrade(folder, "--json");
  expect(ran.code).toBe(0);
  const [first] = decisionsOf(ran);
  expect(first).toMatchObject({ kind: "conflicting-notes", risk: expect.any(String) as string });
  expect(first!.items[0]).toContain("the schema has UnchangedResult, which the note leaves out");
  expect(await codesOf(folder, "generate")).toContain("MG1207");
  expect(await codesOf(folder, "check")).toContain("MG1207");
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
  const shown = await upgrade(folder, "--force");
  expect(shown.stdout).toContain("Dangerous: 1 note says otherwise than the schema");

  const file = join(folder, `schema/${newName}/notes.json`);
  const pasted = JSON.parse(first!.items[1]!) as object;
  writeFileSync(file, JSON.stringify({ format: 1, notes: [pasted] }));
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  expect(await codesOf(folder, "check")).toEqual([]);
  const methods = readFileSync(join(folder, `generated/${newName}/methods.ts`), "utf8");
  expect(methods).toMatch(/name: "AskingResult",[^}]*key: "kind",\s*value: "asks"/);
  expect(methods).toMatch(/name: "UnchangedResult",[^}]*key: "kind",\s*value: "unchanged"/);
});

test("an extension whose bases do not name the new revision is reported, with the line to write", async () => {
  const search = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      SearchRequest: object({ method: { ...text, const: "search" } }, ["method"]),
      SearchResult: object({ found: text }, ["found"]),
    },
  };
  const folder = await smallProject({
    "next/schema.json": withAnswers("AskingResult"),
    "search.json": JSON.stringify(search),
  });
  const added = await mcpgen(folder, [
    ...["extension", "add", "search.json", "--id", "com.example/search", "--version", "1.0.0"],
    ...["--base", "2030-01-01", "--sender", "search=client"],
  ]);
  expect(added.code, added.stderr).toBe(0);
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  const about = "schema/extensions/com.example/search/1.0.0/extension.json";
  const ran = await upgrade(folder, "--json");
  const left = decisionsOf(ran).find(({ kind }) => kind === "extensions");
  expect(left?.risk).toContain(newName);
  const line = `"bases": ["2030-01-01","${newName}"]`;
  expect(left!.items).toEqual([`${line} (${about})`]);

  const file = join(folder, about);
  const written = readFileSync(file, "utf8");
  const mended = written.replace(/"bases": \[[^\]]*\]/, line);
  expect(mended).not.toBe(written);
  writeFileSync(file, mended);
  const again = await upgrade(folder, "--force", "--json");
  expect(decisionsOf(again).filter(({ kind }) => kind === "extensions")).toEqual([]);
});
