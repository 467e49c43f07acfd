import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createTestPair } from "@mcpgen/runtime/testing";
import { mcpgen } from "../../command/in-process.js";
import { everyFeature } from "../every-feature/server.js";
import { expectedTour } from "../every-feature/expected.js";
import { answers, tour } from "../every-feature/tour.js";

const revisions = clientRevisions.map(({ id }) => id);

/** A project whose output folder holds what `mcpgen validate` loads, built from the sources. */
let project: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "mcpgen-test-judged-"));
  const entryPoints = revisions.flatMap((revision) =>
    ["methods", "check"].map((module) => ({
      in: `generated/${revision}/${module}.ts`,
      out: `${revision}/${module}`,
    })),
  );
  await build({
    entryPoints,
    outdir: join(project, "generated/dist"),
    bundle: true,
    format: "esm",
    logLevel: "error",
  });
  writeFileSync(join(project, "mcpgen.config.json"), JSON.stringify({ out: "generated" }));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What the command says of a session that is in order, or not. */
async function judged(revision: string, session: string): Promise<{ code: number; stdout: string }> {
  writeFileSync(join(project, `${revision}.jsonl`), session);
  return mcpgen(project, ["validate", `${revision}.jsonl`, "--revision", revision, "--json"]);
}

test.each(revisions)("every feature at %s, and each message of the session is valid", async (revision) => {
  const server = everyFeature(serverRevisions);
  const { client, wire, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    ...answers,
  });
  expect(client.revision).toBe(revision);
  expect(await tour(client)).toEqual(expectedTour(revision));
  await close();
  const { code, stdout } = await judged(revision, wire.toString());
  const messages = wire.session.length;
  expect(JSON.parse(stdout)).toMatchObject({ messages, valid: messages, unpaired: 0, findings: [] });
  expect(code).toBe(0);
});

test("a recorded session with an invalid message is found", async () => {
  const revision = revisions.at(-1)!;
  const { client, wire, close } = await createTestPair({
    server: everyFeature(serverRevisions),
    revisions: clientRevisions,
    revision,
  });
  await client.listTools();
  await close();
  const broken = wire.toString().replace('"inputSchema":', '"inputSchemas":');
  const { code, stdout } = await judged(revision, broken);
  expect(code).toBe(1);
  expect(stdout).toContain("inputSchema");
});
