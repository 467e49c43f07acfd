import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockText, readLock } from "../../generator/revision/lock.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { compilerErrors } from "../support/typescript-compiler.js";

const released = [...readLock("schema")].filter(([, { status }]) => status === "released");
const unknown = released.at(-1)![0];
const older = released.slice(0, -1);

/** The newest revision's schema as if it were new today: in canonical form, and as upstream publishes it. */
const sources = [`schema/${unknown}/schema.json`];
const published = process.env["MCP_SPEC_DIR"];
if (published !== undefined) sources.push(join(published, unknown, "schema.json"));

/** A project that does not know the newest revision. */
function treeBefore(): string {
  const folder = temporaryFolder({
    "schema/lock.json": lockText({ revisions: new Map(older), extensions: new Map() }),
  });
  cpSync("schema/docs.json", join(folder, "schema/docs.json"));
  for (const [revision] of older) {
    mkdirSync(join(folder, "schema", revision));
    for (const file of ["schema.json", "notes.json"])
      cpSync(join("schema", revision, file), join(folder, "schema", revision, file));
  }
  return folder;
}

function filesBelow(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => /\.\w+$/.test(path) && !/^\d{4}-\d\d-\d\d$/.test(path));
  return new Map(files.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

interface Report {
  readonly settled: readonly { readonly title: string; readonly items: readonly string[] }[];
  readonly decisions: readonly {
    readonly kind: string;
    readonly title: string;
    readonly items: readonly string[];
  }[];
  readonly notes: { readonly from: string; readonly carried: number; readonly dropped: readonly string[] };
  readonly diff: {
    readonly from: string;
    readonly to: string;
    readonly summary: { readonly breaking: number };
  };
}

test.each(sources)(
  "an unknown revision, from %s: the output compiles, and the report names the open decisions",
  async (source) => {
    const folder = treeBefore();
    // mcpgen identifies the revision by its content: an additional definition makes it an unknown one.
    const schema = JSON.parse(readFileSync(source, "utf8")) as { readonly $defs: object };
    const $defs = { ...schema.$defs, NeverHeardOf: { type: "object" } };
    writeFileSync(join(folder, "new.json"), JSON.stringify({ ...schema, $defs }));
    const { code, stdout } = await mcpgen(folder, ["upgrade", "new.json", "--name", unknown, "--json"]);
    expect(code).toBe(0);

    const files = filesBelow(join(folder, "generated"));
    expect(files.has(`${unknown}/validators.ts`)).toBe(true);
    expect(await compilerErrors(files)).toEqual([]);

    const { settled, decisions, notes, diff } = JSON.parse(stdout) as Report;
    const newest = older.at(-1)![0];
    expect(notes.from).toBe(newest);
    const itemsOf = (kind: string): number =>
      decisions.filter((each) => each.kind === kind).reduce((sum, { items }) => sum + items.length, 0);
    const right = settled.filter(({ title }) => title.includes("carried over")).flatMap(({ items }) => items);
    const conflicts = decisions
      .filter(({ kind }) => kind === "conflicting-notes")
      .flatMap(({ items }) => items);
    const hiding = new Set(conflicts.flatMap((item) => /\((\/notes\/\d+)\)/.exec(item)?.[1] ?? []));
    expect(itemsOf("carried-notes") + right.length + hiding.size).toBe(notes.carried);
    // Notes about older steps need no decision.
    const open = notes.dropped.filter((text) => !text.includes(": it is about the step from "));
    expect(open.length).toBeGreaterThan(0);
    expect(itemsOf("dropped-notes")).toBe(open.length);
    expect(notes.carried).toBeGreaterThan(20);
    expect(itemsOf("assumption")).toBeGreaterThan(0);
    expect(itemsOf("missing-notes")).toBeGreaterThan(0);
    // Values that the previous revision cannot express are refused unless a note decides otherwise.
    expect(decisions.map(({ title }) => title)).toContainEqual(expect.stringContaining("about lower"));
    expect(diff).toMatchObject({ from: newest, to: unknown });
    expect(diff.summary.breaking).toBeGreaterThan(20);

    // The report of the run lists every decision that the committed notes still declare open.
    const named = decisions.flatMap(({ kind, items }) => (kind.endsWith("-notes") ? items : []));
    named.push(...right);
    const places = new Set(named.flatMap((item) => item.split(/[,\s]+/)));
    expect(openToday().filter((target) => !places.has(target))).toEqual([]);
  },
);

/** The targets that the committed notes of the revision declare open. */
function openToday(): string[] {
  const { notes } = JSON.parse(readFileSync(`schema/${unknown}/notes.json`, "utf8")) as {
    notes: { kind: string; target: string | string[] }[];
  };
  return notes.filter(({ kind }) => kind === "open").flatMap(({ target }) => target);
}
