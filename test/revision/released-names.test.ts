// Released revisions have a name in every folder.
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLock, ownSchemaFolder, releasedRevisions } from "../../generator/revision/lock.js";
import { isThorough } from "../support/cases.mjs";
import { mcpgen } from "../support/in-process.js";
import { smallProject } from "../support/small-protocol.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const names = [...releasedRevisions().keys()];
/** In the gate the oldest and the newest: each takes some commands. */
const some = isThorough ? names : [names[0]!, names.at(-1)!];
const own = (revision: string, file: string): string =>
  readFileSync(join(ownSchemaFolder, revision, file), "utf8");

/** The schema of a revision with prose, in another layout, as it may be published. */
function published(revision: string): string {
  const schema = JSON.parse(own(revision, "schema.json")) as { $defs: Record<string, object> };
  const $defs = Object.entries(schema.$defs).map(([name, node]) => [
    name,
    { ...node, description: `A ${name}.` },
  ]);
  return JSON.stringify({ ...schema, $defs: Object.fromEntries($defs.reverse()) });
}

describe("revision add", () => {
  test.each(some)("%s by its name has mcpgen's schema, lock entry and notes", async (revision) => {
    const folder = temporaryFolder({});
    const { code, stdout } = await mcpgen(folder, ["revision", "add", revision]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${revision}: added, released`) as string]);
    for (const file of ["schema.json", "notes.json"])
      expect(readFileSync(join(folder, "schema", revision, file), "utf8"), file).toBe(own(revision, file));
    expect(readLock(join(folder, "schema"))).toEqual(
      new Map([[revision, releasedRevisions().get(revision)!.locked]]),
    );
    expect((await mcpgen(folder, ["revision", "verify"])).code).toBe(0);
    expect((await mcpgen(folder, ["revision", "verify", revision, revision])).stdout).toContain("same file");
    const again = await mcpgen(folder, ["revision", "add", revision]);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("unchanged") as string]);
  });

  test.each(some)("%s as a file, with or without prose, gets mcpgen's notes", async (revision) => {
    const files = { "published.json": published(revision), "stored.json": own(revision, "schema.json") };
    for (const file of Object.keys(files)) {
      const folder = temporaryFolder(files);
      expect((await mcpgen(folder, ["revision", "add", file, "--name", revision])).code).toBe(0);
      expect(readFileSync(join(folder, "schema", revision, "notes.json"), "utf8"), file).toBe(
        own(revision, "notes.json"),
      );
    }
  });

  test("a file that differs in one definition gets assumptions instead of mcpgen's notes", async () => {
    const revision = names.at(-1)!;
    const schema = JSON.parse(own(revision, "schema.json")) as {
      $defs: Record<string, { required?: string[] }>;
    };
    const first = Object.values(schema.$defs).find(({ required }) => (required?.length ?? 0) > 1);
    first!.required!.pop();
    const folder = temporaryFolder({ "schema.json": JSON.stringify(schema) });
    expect((await mcpgen(folder, ["revision", "add", "schema.json", "--name", revision])).code).toBe(0);
    expect(existsSync(join(folder, "schema", revision, "notes.json"))).toBe(false);
    const { stderr } = await mcpgen(folder, ["generate", "--only", "methods", "--dry-run", "--verbose"]);
    expect(stderr).toContain("assumed");
    // The right file has the notes of its revision, which now apply.
    writeFileSync(join(folder, "schema.json"), own(revision, "schema.json"));
    await mcpgen(folder, ["revision", "add", "schema.json", "--name", revision, "--replace"]);
    expect(readFileSync(join(folder, "schema", revision, "notes.json"), "utf8")).toBe(
      own(revision, "notes.json"),
    );
  });

  test("the notes of a released revision are carried over, even if only mcpgen has them", async () => {
    const revision = names.at(-1)!;
    const folder = temporaryFolder({ "next/schema.json": "" });
    await mcpgen(folder, ["revision", "add", revision]);
    rmSync(join(folder, "schema", revision, "notes.json"));
    const schema = JSON.parse(own(revision, "schema.json")) as { $defs: object };
    const next = { ...schema, $defs: { ...schema.$defs, Added: { type: "string" } } };
    writeFileSync(join(folder, "next/schema.json"), JSON.stringify(next));
    const { code, stdout } = await mcpgen(folder, ["revision", "add", "next/schema.json", "--name", "next"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`carried over from ${revision}`) as string]);
  });

  test("existing notes stay", async () => {
    const revision = names[0]!;
    const notes = '{ "format": 1, "notes": [] }\n';
    const folder = temporaryFolder({ [`schema/${revision}/notes.json`]: notes });
    expect((await mcpgen(folder, ["revision", "add", revision])).code).toBe(0);
    expect(readFileSync(join(folder, "schema", revision, "notes.json"), "utf8")).toBe(notes);
  });

  test("--no-descriptions and --status also apply to a released revision", async () => {
    const folder = temporaryFolder({});
    await mcpgen(folder, ["revision", "add", names[0]!, "--no-descriptions", "--status", "draft"]);
    const { status, descriptions } = readLock(join(folder, "schema")).get(names[0]!)!;
    expect([status, descriptions]).toEqual(["draft", false]);
    expect((await mcpgen(folder, ["revision", "verify"])).code).toBe(0);
  });

  test("for several of them, the output equals the output with the repository's notes", async () => {
    const folder = temporaryFolder({});
    for (const revision of names.slice(-2)) await mcpgen(folder, ["revision", "add", revision]);
    const { code, stderr } = await mcpgen(folder, ["generate", "--only", "types"]);
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("outside of the repository", () => {
  const [older, newer] = names.slice(0, 2) as [string, string];

  test("diff compares them with their notes, like in the repository", async () => {
    const findings = async (folder: string): Promise<unknown> => {
      const { code, stdout } = await mcpgen(folder, ["diff", older, newer, "--format", "json"]);
      expect(code).toBe(1);
      const { findings: found, notes } = JSON.parse(stdout) as {
        findings: { at: unknown }[];
        notes: string[];
      };
      expect(notes.join("\n")).not.toContain("without notes");
      return found.map((finding) => ({ ...finding, at: undefined }));
    };
    expect(await findings(temporaryFolder({}))).toEqual(await findings(process.cwd()));
  });

  test("diff, docs and validate accept them together with a project's own revisions", async () => {
    const folder = await smallProject();
    const compared = await mcpgen(folder, ["diff", "2030-01-01", newer, "--fail-on", "never"]);
    expect([compared.code, compared.stdout.includes("without notes")]).toEqual([0, false]);
    const page = await mcpgen(folder, ["docs", newer, "--out", "out"]);
    expect([page.code, readdirSync(join(folder, "out"))]).toEqual([0, [`${newer}.html`]]);
    writeFileSync(join(folder, "m.jsonl"), '{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    const judged = await mcpgen(folder, ["validate", "--revision", newer, "m.jsonl"]);
    expect([judged.code, judged.stdout]).toEqual([0, expect.stringContaining("1 valid") as string]);
  });

  test("a revision of the project takes precedence over a released one of the same name", async () => {
    const folder = await smallProject();
    await mcpgen(folder, ["revision", "add", "2030-01-01/schema.json", "--name", newer]);
    const { stdout } = await mcpgen(folder, ["diff", "2030-01-01", newer]);
    expect(stdout).toContain("no differences");
  });

  test("the error for an unknown name lists the known ones", async () => {
    const folder = temporaryFolder({});
    const near = await mcpgen(folder, ["diff", `${older.slice(0, -1)}9`, newer]);
    expect([near.code, near.stderr]).toEqual([
      2,
      expect.stringContaining(`Did you mean ${older}?`) as string,
    ]);
    const far = await mcpgen(folder, ["docs", "nothing"]);
    for (const name of names) expect(far.stderr).toContain(name);
    const unpinned = await mcpgen(folder, ["generate", "--revision", newer]);
    expect(unpinned.stderr).toContain(`\`mcpgen revision add ${newer}\``);
    expect((await mcpgen(folder, ["revision", "list"])).stdout).toContain(newer);
  });
});
