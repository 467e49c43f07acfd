import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";

const schema = new URL("../../schema/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, schema), "utf8");
const { revisions } = JSON.parse(read("lock.json")) as {
  revisions: { [revision: string]: { upstream: { commit: string } } };
};
/** Folders with notes: of revisions, and of extensions. */
const folders = readdirSync(schema, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("notes.json"))
  .map((path) => path.replaceAll("\\", "/").slice(0, -"/notes.json".length))
  .sort();

interface LinkedNote {
  readonly kind: string;
  readonly link: string;
}

describe.each(folders)("links of the notes of %s", (revision) => {
  const { notes } = JSON.parse(read(`${revision}/notes.json`)) as { notes: LinkedNote[] };

  test("into repositories name a commit: branches move", () => {
    const moving = notes.filter(
      ({ link }) => link.includes("github.com/") && !/\/blob\/[0-9a-f]{40}\//.test(link),
    );
    expect(moving).toEqual([]);
  });

  test("into schema.ts name the commit the revision was taken from, and a line", () => {
    for (const { kind, link } of notes) {
      if (!link.includes("/schema.ts")) continue;
      const [, commit, of] =
        /\/blob\/([0-9a-f]{40})\/schema\/([^/]+)\/schema\.ts#L[1-9]\d*$/.exec(link) ?? [];
      expect(commit, `${kind} ${link}`).toBe(revisions[of!]?.upstream.commit);
    }
  });

  test("into the specification name a revision", () => {
    for (const { kind, link } of notes) {
      if (!link.startsWith("https://modelcontextprotocol.io/")) continue;
      const [, of] = /\/specification\/([^/]+)\//.exec(link) ?? [];
      expect(Object.keys(revisions), `${kind} ${link}`).toContain(of);
    }
  });
});
