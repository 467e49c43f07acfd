import { expect, test } from "vitest";
import { format } from "../../generator/print/format.js";
import { smallSchemaText } from "../support/small-protocol.js";
import { generate, releasedSource, writtenSource } from "../support/generated-output.js";

/** Files about all revisions, which the generator prints in prettier's format. */
const shared = ["README.md", "client.ts", "explained.ts", "index.ts", "listed.ts", "server.ts"];

test.each([
  ["@a/plain", ["2026-07-28"]],
  ["@a/under_score_", ["2024-11-05", "2026-07-28"]],
  ["plain", ["x_", "2026-07-28"]],
  ["plain", ["a-revision-with-no-room-for-more"]],
])("files of all revisions are laid out for package %s and revisions %j", async (name, names) => {
  const sources = names.map((revision) =>
    /^\d/.test(revision) ? releasedSource(revision) : writtenSource(revision, smallSchemaText),
  );
  const only = ["index", "authoring", "package"];
  const { files } = await generate(sources, { only, packageManifest: { name } });
  for (const path of shared) {
    const content = files.get(path)!;
    expect(content, path).toBe(await format(path, content));
  }
});
