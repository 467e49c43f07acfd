import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import type { ClientExtension, ServerExtension } from "../../generated/extending.js";
import type { ExtensionTypes, Revision } from "@mcpgen/protocol/model";
import { connect, createServer, memoryChannels } from "@mcpgen/runtime";
import { failureOf } from "../support/failure-of.js";
import { generate, releasedSource } from "../support/generated-output.js";
import { compilerErrors } from "../support/typescript-compiler.js";
import { type ExtensionText, request, result, stored } from "./models.js";

const bases = ["2025-06-18", "2025-11-25", "2026-07-28"];
const newest = "2026-07-28";
const older = ["2025-06-18", "2025-11-25"];

const state = (...values: string[]): JsonObject => ({ type: "string", enum: values });

const watched = request("jobs/watch", { $ref: "#/$defs/WatchParams" });

const counts: JsonObject = {
  type: "object",
  required: ["done"],
  properties: { done: { type: "integer" }, total: { type: "integer" } },
};

/**
 * Before the newest base, counts are inside a member, one member has another name, and one state another value.
 * Resources have icons since 2025-11-25.
 */
const jobs: ExtensionText = {
  id: "com.example/jobs",
  bases,
  definitions: {
    State: state("queued", "running", "failed"),
    WatchParams: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string" }, waitMs: { type: "integer" }, until: { $ref: "#/$defs/State" } },
    },
    Progress: counts,
    WatchRequest: watched,
    WatchResult: result({
      status: { $ref: "#/$defs/State" },
      progress: { $ref: "#/$defs/Progress" },
      files: { type: "array", items: { $ref: "base#/$defs/Resource" } },
    }),
  },
  notes: [
    { kind: "sender", target: "jobs/watch", sender: "client" },
    { kind: "extends", target: "/$defs/WatchParams", base: "base#/$defs/RequestParams", bases: [newest] },
    {
      kind: "errata",
      target: "/$defs/WatchParams",
      becomes: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, wait: { type: "integer" }, until: { $ref: "#/$defs/State" } },
      },
      bases: older,
    },
    { kind: "errata", target: "/$defs/State", becomes: state("pending", "running", "failed"), bases: older },
    {
      kind: "renamed",
      target: "/$defs/WatchParams/allOf/1/properties/waitMs",
      previous: "2025-11-25",
      from: "wait",
      bases: [newest],
    },
    ...(["lower", "lift"] as const).map((kind) => ({
      kind,
      target: "/$defs/State",
      previous: "2025-11-25",
      how: "fill",
      value: "failed",
      cases: [kind === "lower" ? { of: "queued", value: "pending" } : { of: "pending", value: "queued" }],
      bases: [newest],
    })),
    {
      kind: "errata",
      target: "/$defs/Progress",
      becomes: { type: "object", required: ["count"], properties: { count: counts } },
      bases: older,
    },
    { kind: "wrapped", target: "/$defs/Progress", previous: "2025-11-25", in: "count", bases: [newest] },
  ],
};

interface Modules {
  readonly serverJobs: ServerExtension<ExtensionTypes>;
  readonly clientJobs: ClientExtension<ExtensionTypes>;
  readonly serverRevisions: readonly Revision<"server">[];
  readonly clientRevisions: readonly Revision<"client">[];
}

/** The output for the extension, as modules of this process. @param vocabulary the pinned revision */
async function loaded(text: ExtensionText, vocabulary: string): Promise<Modules> {
  const { files } = await generate(bases.map(releasedSource), { vocabulary, extensions: [stored(text)] });
  const code = new Map([...files].filter(([path]) => path.endsWith(".ts")));
  expect(await compilerErrors(code)).toEqual([]);
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-extension-steps-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entry = `export { jobs as serverJobs } from "./extensions/com.example/jobs/server.js";
export { jobs as clientJobs } from "./extensions/com.example/jobs/client.js";
export { serverRevisions } from "./server.js";
export { clientRevisions } from "./client.js";`;
  for (const [path, content] of [...code, ["entry.ts", entry] as const]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const outfile = join(folder, "entry.mjs");
  await build({
    entryPoints: [join(folder, "entry.ts")],
    outfile,
    bundle: true,
    format: "esm",
    logLevel: "error",
  });
  return (await import(pathToFileURL(outfile).href)) as Modules;
}

const icons = [{ src: "https://example.com/a.png" }];
const file = { uri: "test://a", name: "a" };

/** The params and the result of a handler, with the names of one base. */
const words = {
  [newest]: {
    params: { id: "1", waitMs: 5, until: "queued" },
    result: { status: "queued", progress: { done: 1, total: 2 } },
  },
  "2025-11-25": {
    params: { id: "1", wait: 5, until: "pending" },
    result: { status: "pending", progress: { count: { done: 1, total: 2 } } },
  },
};

test.each([newest, "2025-11-25"] as const)(
  "handlers and calls use %s, whatever the base of the peer",
  async (vocabulary) => {
    const { serverJobs, clientJobs, serverRevisions, clientRevisions } = await loaded(jobs, vocabulary);
    const { params, result } = words[vocabulary];
    const got: object[] = [];
    const handler = ({ _meta, ...given }: { _meta?: unknown }): object => {
      got.push(given);
      return { ...result, files: [{ ...file, icons }] };
    };
    const server = createServer(
      { name: "s", version: "1" },
      {
        revisions: serverRevisions,
        extensions: [serverJobs.implement({ "jobs/watch": handler } as never)],
      },
    );
    expect(server.vocabulary).toBe(vocabulary);
    for (const revision of bases) {
      const [near, far] = memoryChannels();
      server.connect(far);
      const client = await connect(near, { revisions: clientRevisions, revision, extensions: [clientJobs] });
      const answer = await client.request<{ status: string; files: object[]; progress: object }>(
        "jobs/watch",
        params,
      );
      // The older base does not define icons, but its objects are open and so can contain them.
      expect([revision, answer.status, answer.files]).toEqual([
        revision,
        result.status,
        [{ ...file, icons }],
      ]);
      expect(answer.progress).toEqual(result.progress);
      await client.close();
    }
    expect(got).toEqual([params, params, params]);
  },
);

describe("notes that decide nothing, or cannot be applied, are refused with their place", () => {
  const refusal = (change: (notes: readonly JsonObject[]) => readonly JsonObject[]): Promise<unknown> =>
    failureOf(
      generate(bases.map(releasedSource), {
        only: ["steps"],
        extensions: [stored({ ...jobs, notes: change(jobs.notes!) })],
      }),
    );
  const place = { file: expect.stringMatching(/notes\.json$/) as string };

  test("a renamed member that the previous base does not have", async () => {
    const wrong = await refusal((notes) =>
      notes.map((note) => (note["kind"] === "renamed" ? { ...note, from: "waiting" } : note)),
    );
    expect(wrong).toMatchObject({ code: "MG1203", place: { ...place, pointer: "/notes/4" } });
  });

  test("members inside a member that the previous base does not have", async () => {
    const wrong = await refusal((notes) =>
      notes.map((note) => (note["kind"] === "wrapped" ? { ...note, in: "counts" } : note)),
    );
    expect(wrong).toMatchObject({ code: "MG1203", place: { ...place, pointer: "/notes/8" } });
  });

  test("a step for a value that needs no step", async () => {
    const idle = {
      kind: "lower",
      target: "/$defs/WatchParams/allOf/1/properties/id",
      previous: "2025-11-25",
      how: "drop",
    };
    expect(await refusal((notes) => [...notes, { ...idle, bases: [newest] }])).toMatchObject({
      code: "MG1203",
      place,
    });
  });

  test("omitting a required member", async () => {
    const wrong = await refusal((notes) =>
      notes.map((note) =>
        note["kind"] === "lower" ? { ...note, how: "drop", value: undefined!, cases: undefined! } : note,
      ),
    );
    expect(wrong).toMatchObject({ code: "MG1206", place });
  });

  test("a value of the extension without a note, although other values have notes", async () => {
    const open = await refusal((notes) =>
      notes.map((note) =>
        note["kind"] === "lower" ? { ...note, target: "/$defs/WatchParams/allOf/1/properties/until" } : note,
      ),
    );
    expect(open).toMatchObject({ code: "MG1205", place });
  });
});
