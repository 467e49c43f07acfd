import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLock } from "../../generator/revision/lock.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema, smallSchemaText } from "../support/small-protocol.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { loopback } from "../support/listen.js";

const add = (folder: string, ...args: string[]) => mcpgen(folder, ["revision", "add", ...args]);
const stored = (folder: string, revision: string): string =>
  readFileSync(join(folder, "schema", revision, "schema.json"), "utf8");

describe("revision add", () => {
  test("stores and locks the canonical form, without a notes file if there are no notes to copy", async () => {
    const folder = await smallProject();
    const text = stored(folder, "2030-01-01");
    expect(Object.keys((JSON.parse(text) as { $defs: object }).$defs)[0]).toBe("ClientRequest");
    expect(text.endsWith("}\n")).toBe(true);
    expect(readLock(join(folder, "schema")).get("2030-01-01")).toMatchObject({
      status: "released",
      dialect: "2020-12",
      descriptions: true,
    });
    // An empty file would mean that the schema needs no notes.
    expect(existsSync(join(folder, "schema/2030-01-01/notes.json"))).toBe(false);
  });

  test("takes the name from the folder only if it is a date or draft", async () => {
    const folder = temporaryFolder({
      "draft/schema.json": smallSchemaText,
      "x/schema.json": smallSchemaText,
      "schema.json": smallSchemaText,
    });
    expect((await add(folder, "draft/schema.json")).stdout).toMatch(
      /^draft: added, draft, 2020-12, 7 definitions/,
    );
    for (const file of ["x/schema.json", "schema.json"]) {
      const { code, stderr } = await add(folder, file);
      expect(stderr).toContain("error MG2007");
      expect(code).toBe(2);
    }
  });

  test.each(["..", "a/b", ".hidden", "CON", "dist", "x.json", "a b", "é", "-x", ""])(
    "refuses the name %j",
    async (name) => {
      const folder = temporaryFolder({ "schema.json": smallSchemaText });
      const { code, stderr } = await add(folder, "schema.json", `--name=${name}`);
      expect(stderr).toMatch(/error MG200[38]/);
      expect(code).toBe(2);
      expect(readdirSync(folder)).toEqual(["schema.json"]);
    },
  );

  test("the same content again changes nothing; other content needs --replace", async () => {
    const folder = await smallProject();
    const lock = readFileSync(join(folder, "schema/lock.json"), "utf8");
    const same = await add(folder, "2030-01-01/schema.json");
    expect([same.code, same.stdout]).toEqual([
      0,
      "2030-01-01: unchanged, released, 2020-12, 7 definitions\n",
    ]);
    expect(readFileSync(join(folder, "schema/lock.json"), "utf8")).toBe(lock);

    const { LogNotification: _, ServerNotification: __, ...rest } = smallSchema.$defs;
    writeFileSync(join(folder, "2030-01-01/schema.json"), JSON.stringify({ ...smallSchema, $defs: rest }));
    const before = stored(folder, "2030-01-01");
    const refused = await add(folder, "2030-01-01/schema.json");
    expect([refused.code, stored(folder, "2030-01-01")]).toEqual([2, before]);
    expect(refused.stderr).toContain("error MG2009: revision 2030-01-01 already exists, with other content");
    expect((await add(folder, "2030-01-01/schema.json", "--replace")).stdout).toContain(
      "2030-01-01: replaced",
    );
    expect((await mcpgen(folder, ["revision", "verify"])).code).toBe(0);
  });

  test("reports that only prose differs", async () => {
    const described = {
      ...smallSchema,
      $defs: { ...smallSchema.$defs, EchoParams: { type: "object", description: "x" } },
    };
    const folder = temporaryFolder({ "2030-01-01/schema.json": JSON.stringify(described) });
    await add(folder, "2030-01-01/schema.json", "--no-descriptions");
    const { stderr } = await add(folder, "2030-01-01/schema.json");
    expect(stderr).toContain("only its prose differs");
    expect(stderr).toContain("Repeat the command with --no-descriptions");
  });

  test("copies the newest released revision's notes, marks them, and reports dropped notes", async () => {
    const folder = await smallProject({ "draft/schema.json": smallSchemaText });
    const note = { kind: "deprecated", since: "2030-01-01", reason: "why", link: "https://example.com" };
    const notes = [
      { ...note, target: "echo" },
      { ...note, target: "/$defs/Gone" },
    ];
    writeFileSync(join(folder, "schema/2030-01-01/notes.json"), JSON.stringify({ format: 1, notes }));
    const { stdout, code } = await add(folder, "draft/schema.json");
    expect(stdout).toContain("a note was not carried over to draft: deprecated on /$defs/Gone");
    expect(stdout).toContain("1 note carried over from 2030-01-01");
    expect(code).toBe(0);
    const carried = JSON.parse(readFileSync(join(folder, "schema/draft/notes.json"), "utf8")) as {
      notes: object[];
    };
    expect(carried.notes).toEqual([{ ...note, target: "echo", carried: true }]);
  });

  test("never changes existing notes", async () => {
    const folder = temporaryFolder({
      "draft/schema.json": smallSchemaText,
      "schema/draft/notes.json": "mine",
    });
    expect((await add(folder, "draft/schema.json")).code).toBe(0);
    expect(readFileSync(join(folder, "schema/draft/notes.json"), "utf8")).toBe("mine");
  });
});

describe("files of every encoding are read", () => {
  const utf16be = Buffer.from(`\uFEFF${smallSchemaText}`, "utf16le").swap16();
  test.each([
    ["UTF-8", Buffer.from(smallSchemaText)],
    ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${smallSchemaText}`)],
    ["UTF-16, little endian", Buffer.from(`\uFEFF${smallSchemaText}`, "utf16le")],
    ["UTF-16, big endian", utf16be],
  ])("%s", async (_, bytes) => {
    const folder = temporaryFolder({ "draft/schema.json": bytes });
    expect((await add(folder, "draft/schema.json")).stderr).toBe("");
    expect(stored(folder, "draft")).toContain("EchoRequest");
  });
});

describe("a hostile file is reported with its place and exit code 3, and no file is written", () => {
  const nested = `${'{"$defs":{"A":'.padEnd(14)}${'{"items":'.repeat(600)}{}${"}".repeat(602)}`;
  test.each<[string, string | Uint8Array, string, RegExp]>([
    ["empty", "", "MG1002", /schema\.json:1:1/],
    ["truncated", smallSchemaText.slice(0, 300), "MG1002", /schema\.json:1:\d+/],
    ["an array", "[]", "MG1101", /expected a JSON object, got an array/],
    ["a string", '"x"', "MG1101", /got a string/],
    ["null", "null", "MG1101", /got null/],
    ["without definitions", "{}", "MG1109", /expected definitions/],
    ["bytes that are no text", Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), "MG1004", /utf-8/],
    ["50 MB", Buffer.alloc(50_000_000, " "), "MG1003", /expected at most 32 MiB, got 48 MiB/],
    ["a cycle", '{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}', "MG1107", /A|B/],
    ["a dangling reference", '{"$defs":{"A":{"$ref":"#/$defs/Nope"}}}', "MG1105", /Nope/],
    ["an unknown keyword", '{"$defs":{"A":{"tpye":"string"}}}', "MG1103", /Did you mean/],
    [
      "another dialect",
      '{"$schema":"http://json-schema.org/draft-03/schema#","$defs":{"A":{}}}',
      "MG1104",
      /draft-03/,
    ],
    ["nested too deep", nested, "MG1108", /128/],
  ])("%s", async (_, content, code, text) => {
    const folder = temporaryFolder({ "draft/schema.json": content });
    const ran = await add(folder, "draft/schema.json");
    expect(ran.stderr).toContain(`error ${code}: `);
    expect(ran.stderr).toMatch(text);
    expect(ran.code).toBe(3);
    expect(existsSync(join(folder, "schema"))).toBe(false);
  });

  test("that does not exist", async () => {
    const { code, stderr } = await add(temporaryFolder(), "draft/none.json");
    expect([code, stderr]).toEqual([3, expect.stringContaining("draft/none.json: error MG1001")]);
  });
});

describe("a URL", () => {
  test("is fetched, and the lock records it and the commit in it", async () => {
    const commit = "0123456789abcdef0123456789abcdef01234567";
    const url = `${await loopback((_, response) => response.end(smallSchemaText))}/${commit}/schema/draft/schema.json`;
    const folder = temporaryFolder();
    expect((await add(folder, url)).stderr).toBe("");
    expect(readLock(join(folder, "schema")).get("draft")?.upstream).toMatchObject({ url, commit });
  });

  test.each<[string, RequestListener, number, string]>([
    [
      "answers 404",
      (_, response) => response.writeHead(404).end("no"),
      4,
      "MG4002: expected the file, got HTTP 404",
    ],
    ["breaks off", (_, response) => response.socket?.destroy(), 4, "MG4001: the server cannot be reached"],
    ["sends no JSON", (_, response) => response.end("<html>"), 3, "MG1002"],
    [
      "never ends",
      (_, response) => {
        const chunk = Buffer.alloc(1024 * 1024, " ");
        const more = (): void => void (response.destroyed || response.write(chunk, more));
        more();
      },
      3,
      "MG1003",
    ],
  ])("that %s", async (_, listener, exit, message) => {
    const folder = temporaryFolder();
    const { code, stderr } = await add(folder, `${await loopback(listener)}/draft/schema.json`);
    expect(stderr).toContain(`error ${message}`);
    expect(code).toBe(exit);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that refuses the connection", async () => {
    const { code, stderr } = await add(temporaryFolder(), "http://127.0.0.1:1/draft/schema.json");
    expect([code, stderr]).toEqual([4, expect.stringContaining("error MG4001")]);
  });
});
