import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { randomFrom } from "../../generator/sample/values.js";
import { shuffledSchema } from "../support/shuffled-schema.js";
import { documentOf } from "../support/revisions.js";
import { generate, releasedSource, writtenSource } from "../support/generated-output.js";

test("every order of keys and set members in the input gives the same bytes, in every file", async () => {
  const revisions = ["2025-11-25"];
  const expected = await generate(revisions.map(releasedSource), { packageManifest: { name: "p" } });
  const sources = revisions.map((revision) => {
    const other = shuffledSchema(documentOf(revision), randomFrom(revision));
    return writtenSource(revision, JSON.stringify(other), revision);
  });
  const actual = await generate(sources, { packageManifest: { name: "p" } });
  expect([...actual.files.keys()]).toEqual([...expected.files.keys()]);
  for (const [path, content] of expected.files) expect(actual.files.get(path) === content, path).toBe(true);
  expect(actual.assumptions).toEqual(expected.assumptions);
});

test("the bytes are also the same without notes, from draft-07, and with Windows line ends and byte order mark", async () => {
  const document = documentOf("2025-06-18");
  const older = JSON.stringify(shuffledSchema(document, randomFrom("older")), null, 2)
    .replaceAll('"$defs":', '"definitions":')
    .replaceAll("#/$defs/", "#/definitions/")
    .replace("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#");
  const [one, two] = await Promise.all(
    [JSON.stringify(document), "\ufeff" + older.replaceAll("\n", "\r\n")].map((text) =>
      generate([writtenSource("r", text)]),
    ),
  );
  expect(two!.files).toEqual(one!.files);
  expect(two!.assumptions).toEqual(one!.assumptions);
});

test("files have POSIX paths and LF, and do not depend on the machine", async () => {
  const { files } = await generate([releasedSource("2025-11-25")]);
  for (const [path, content] of files) {
    expect(path).toMatch(/^(?:[\w.-]+\/)?[\w.-]+$/);
    expect(content, path).not.toContain("\r");
    expect(content.endsWith("\n"), path).toBe(true);
    expect(content, path).not.toContain(process.cwd());
  }
});

/** Lines of `after` that `before` does not have at their place, and the other way round: a simple diff. */
function changed(before: string, after: string): { added: string[]; removed: string[] } {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return { added: b.slice(start, b.length - end), removed: a.slice(start, a.length - end) };
}

test("adding a definition changes its own block and the lists that name it, nothing else", async () => {
  const document = documentOf("2025-11-25");
  const before = await generate([releasedSource("2025-11-25")]);
  const definition = { type: "object", properties: { zebra: { type: "string" } }, required: ["zebra"] };
  const more = { ...document, $defs: { ...(document["$defs"] as JsonObject), Quagga: definition } };
  const after = await generate([writtenSource("2025-11-25", JSON.stringify(more), "2025-11-25")]);

  const touched = [...after.files].filter(([path, content]) => before.files.get(path) !== content);
  expect(touched.map(([path]) => path).sort()).toEqual(
    ["PROTOCOL.md", "explain.ts", "types.ts", "validators.ts"].map((file) => `2025-11-25/${file}`),
  );
  for (const [path, content] of touched) {
    const left = new Set(content.split("\n"));
    const gone = before.files
      .get(path)!
      .split("\n")
      .filter((line) => !left.has(line));
    // A list may end with a count of its entries.
    expect(
      gone.filter((line) => !/\d/.test(line)),
      path,
    ).toEqual([]);
    const { added } = changed(before.files.get(path)!, content);
    expect(
      added.some((line) => line.includes("Quagga")),
      path,
    ).toBe(true);
  }
  const types = changed(before.files.get("2025-11-25/types.ts")!, after.files.get("2025-11-25/types.ts")!);
  expect(types).toEqual({ added: ["export interface Quagga {", "  zebra: string;", "}", ""], removed: [] });
});

test("existing files of a revision are reused, and not generated again", async () => {
  const sources = [releasedSource("2024-11-05"), releasedSource("2025-03-26")];
  const first = await generate(sources);
  const marked = new Map([["2024-11-05/types.ts", "// At hand.\n"]]);
  const second = await generate(sources, {
    reuse: (revision, fingerprint) =>
      revision === "2024-11-05" && fingerprint === first.fingerprints.get(revision) ? marked : undefined,
  });
  expect(second.fingerprints).toEqual(first.fingerprints);
  const others = [...first.files].filter(([path]) => !path.startsWith("2024-11-05/"));
  expect(second.files).toEqual(new Map([...marked, ...others]));
});
