import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { mcpgen } from "../../support/in-process.js";
import { smallProject, smallSchemaText } from "../../support/small-protocol.js";
import { type Definitions, membersOf, rename, text } from "../../support/schema-changes/edits.js";
import { everything, newest, next, projectWith, upgrade } from "../../support/made-up-revision.js";

interface Served {
  readonly made: number;
  readonly served: number;
  readonly refused: readonly { readonly call: string; readonly why: string }[];
  readonly losses: readonly { readonly method: string; readonly pointer: string; readonly how: string }[];
  readonly invalid: readonly string[];
}

interface Tried {
  readonly exit: number;
  readonly vocabulary: string;
  readonly revisions: readonly {
    readonly revision: string;
    readonly client: Served;
    readonly server: Served;
  }[];
  readonly findings: readonly { readonly code: string; readonly message: string; readonly detail?: string }[];
  readonly unchecked?: string;
}

async function tried(folder: string): Promise<Tried> {
  const { stdout } = await upgrade(folder, "--try", "--json");
  return JSON.parse(stdout) as Tried;
}

/** Content and time of every file. */
function snapshot(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    paths
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [
        path,
        `${statSync(join(folder, path)).mtimeMs} ${readFileSync(join(folder, path), "utf8")}`,
      ]),
  );
}

test("a revision that changes nothing: all calls are served, nothing is lost, nothing is written", async () => {
  const folder = projectWith(() => {});
  const before = snapshot(folder);
  const { exit, vocabulary, revisions, findings, unchecked } = await tried(folder);
  expect([exit, findings]).toEqual([0, []]);
  expect(snapshot(folder)).toEqual(before);
  expect(vocabulary).toBe(newest);
  expect(unchecked).toBe("it has no tsconfig.json");
  expect(revisions.map(({ revision }) => revision)).toEqual([newest, next]);
  for (const { client, server } of revisions)
    for (const side of [client, server]) {
      expect(side.made).toBeGreaterThan(20);
      expect(side).toMatchObject({ served: side.made, refused: [], losses: [], invalid: [] });
    }
});

test("a subscription is played, with a change of each kind that it selects", async () => {
  const made = async (change: (definitions: Definitions) => void): Promise<number> => {
    const { revisions } = await tried(projectWith(change));
    const { client } = revisions.find(({ revision }) => revision === next)!;
    expect(client).toMatchObject({ served: client.made, refused: [], invalid: [] });
    return client.made;
  };
  const all = await made(() => {});
  // The member that the note on this kind names does not exist any longer.
  const without = await made(({ SubscriptionFilter }) =>
    rename(SubscriptionFilter!, "toolsListChanged", "tools"),
  );
  expect(all - without).toBe(1);
});

test("losses and refusals are listed with their places", async () => {
  const folder = projectWith((definitions: Definitions) => {
    delete membersOf(definitions["Tool"]!)["title"];
    definitions["Tool"]!["additionalProperties"] = false;
    membersOf(definitions["GetPromptResult"]!)["origin"] = text;
    definitions["GetPromptResult"]!["required"] = ["messages", "origin", "resultType"];
  });
  const { exit, revisions } = await tried(folder);
  // Peers of the revision before are served as they were.
  expect(exit).toBe(0);
  const now = revisions.find(({ revision }) => revision === next)!;
  expect(now.client.losses).toContainEqual(
    expect.objectContaining({ method: "tools/list", pointer: "/tools/*/title", how: "dropped" }),
  );
  expect(now.client.refused.map(({ call }) => call)).toContainEqual(expect.stringMatching(/^prompts\/get /));
  const { stdout } = await upgrade(folder, "--try", "--format", "markdown");
  expect(stdout).toMatch(/^\| revision \|/m);
  expect(stdout).toContain("/tools/*/title: dropped");
});

test("the project is checked against the new output, without a program of the project", async () => {
  const folder = projectWith((definitions) => {
    delete membersOf(definitions["Tool"]!)["annotations"];
  });
  writeFileSync(
    join(folder, "tsconfig.json"),
    '{"compilerOptions":{"strict":true,"module":"NodeNext","target":"ES2022","types":[],"noEmit":true},"include":["src"]}',
  );
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  mkdirSync(join(folder, "src"));
  const code = `import type { Tool } from "../generated/authoring.js";
export const hint = (tool: Tool): boolean => tool.annotations?.readOnlyHint ?? false;
export const wrong: number = "as before";
`;
  writeFileSync(join(folder, "src/tools.ts"), code);
  const sound = await tried(folder);
  // The vocabulary does not change, and errors that existed before are not reported.
  expect([sound.exit, sound.unchecked, sound.findings]).toEqual([0, undefined, []]);
  writeFileSync(
    join(folder, "src/next.ts"),
    `import type { Tool } from "../generated/${next}/types.js";
export const named = (tool: Tool): string => tool.annotations.title;
`,
  );
  const broken = await tried(folder);
  expect(broken.exit).toBe(1);
  expect(broken.findings).toEqual([
    expect.objectContaining({ code: "MG6801", message: expect.stringContaining("annotations") as string }),
  ]);
});

test("a small protocol whose handshake the runtime does not know: no conversation, before and after", async () => {
  const folder = await smallProject({ "next.json": smallSchemaText });
  const before = snapshot(folder);
  const { code, stdout } = await upgrade(folder, "--try");
  expect(code).toBe(0);
  expect(stdout).toMatch(/2031-01-15 +no conversation +no conversation/);
  expect(stdout).toContain("connect: refused, ");
  expect(snapshot(folder)).toEqual(before);
});

test("the built program has the conversations, too", async () => {
  const folder = await smallProject({ "next.json": smallSchemaText });
  const words = [resolve("dist/generator/cli.js"), "upgrade", "next.json", "--name", next, "--try"];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
  expect(stdout).toContain("nothing was written (--try)");
});

test("output options and a schema that does not compile are refused", async () => {
  const folder = projectWith(everything);
  for (const option of ["--force", "--dry-run"]) {
    const { code, stderr } = await upgrade(folder, "--try", option);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`error MG2005: --try and ${option} exclude each other`),
    ]);
  }
  writeFileSync(join(folder, "bad.json"), '{"$defs":{"A":{"$ref":"#/$defs/B"}}}');
  const bad = await mcpgen(folder, ["upgrade", "bad.json", "--name", next, "--try"]);
  expect([bad.code, bad.stderr]).toEqual([3, expect.stringContaining("error MG1105")]);
});
