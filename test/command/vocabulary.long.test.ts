import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ran, mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema } from "../support/small-protocol.js";
import { compilerErrors } from "../support/typescript-compiler.js";

const text = { type: "string" };
const message = (method: string, params: object) => ({
  type: "object",
  properties: { method: { const: method }, params },
  required: ["method", "params"],
});
const reference = (name: string) => ({ $ref: `#/$defs/${name}` });

/** A revision in which results have another form, with a new method and without `notifications/log`. */
const successor = {
  ...smallSchema,
  $defs: {
    EchoRequest: smallSchema.$defs.EchoRequest,
    EchoParams: smallSchema.$defs.EchoParams,
    EchoResult: {
      type: "object",
      properties: { lines: { type: "array", items: text } },
      required: ["lines"],
    },
    SingRequest: message("sing", { type: "object", properties: { song: text }, required: ["song"] }),
    SingResult: { type: "object", properties: { sung: text }, required: ["sung"] },
    ClientRequest: { anyOf: [reference("EchoRequest"), reference("SingRequest")] },
    ServerResult: { anyOf: [reference("EchoResult"), reference("SingResult")] },
  },
};

const older = "2030-01-01";
const newer = "2031-01-01";

/** A project with the small protocol, generated, and its successor as a file. */
async function project(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await smallProject({ "new.json": JSON.stringify(successor), ...more });
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  return folder;
}

const upgraded = async (more: Readonly<Record<string, string>> = {}): Promise<string> => {
  const folder = await project(more);
  expect(await mcpgen(folder, ["upgrade", "new.json", "--name", newer])).toMatchObject({ code: 0 });
  return folder;
};

const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
const lockOf = (folder: string): { readonly vocabulary?: unknown } =>
  JSON.parse(read(folder, "schema/lock.json")) as { readonly vocabulary?: unknown };
const documentOf = ({ stdout }: Ran): Record<string, unknown> =>
  JSON.parse(stdout) as Record<string, unknown>;

function pin(folder: string, vocabulary: unknown): void {
  const lock = JSON.stringify({ ...lockOf(folder), vocabulary });
  writeFileSync(join(folder, "schema/lock.json"), lock);
}

const program = (result: string): string => `
  import type { ClientRequests, ServerNotifications } from "./generated/authoring.js";
  import type { ClientResults } from "./generated/open.js";
  export const echo: ClientRequests["echo"]["result"] = ${result};
  export const sung: ClientRequests["sing"]["result"] = { sung: "la" };
  export const logged: ServerNotifications["notifications/log"]["params"] = {};
  export const read: string = (null! as ClientResults["sing"]).sung;
`;

async function errorsIn(folder: string, result: string): Promise<string[]> {
  const paths = ["authoring.ts", "listed.ts", "open.ts", `${older}/types.ts`, `${newer}/types.ts`];
  const files = paths.map((path): [string, string] => [
    `generated/${path}`,
    read(folder, `generated/${path}`),
  ]);
  return compilerErrors(new Map([...files, ["program.ts", program(result)]]));
}

describe("a new revision", () => {
  test("upgrade keeps the vocabulary: handlers compile as before, and methods of both revisions are typed", async () => {
    const folder = await project();
    const before = ["authoring.ts", "open.ts", "listed.ts"].map((path) => read(folder, `generated/${path}`));
    expect(lockOf(folder).vocabulary).toBeUndefined();

    const rehearsed = await mcpgen(folder, ["upgrade", "new.json", "--name", newer, "--dry-run", "--json"]);
    expect(documentOf(rehearsed)).toMatchObject({ exit: 0, vocabulary: older });
    expect(lockOf(folder).vocabulary).toBeUndefined();
    const { code, stdout } = await mcpgen(folder, ["upgrade", "new.json", "--name", newer]);
    expect(code).toBe(0);
    expect(stdout).toContain(`- Vocabulary. ${older} stays what handlers write and clients read`);
    expect(stdout).toContain(`\`mcpgen revision vocabulary ${newer}\` moves it, in a major version`);
    expect(lockOf(folder).vocabulary).toBe(older);
    for (const [index, path] of ["authoring.ts", "open.ts"].entries()) {
      const lines = new Set(read(folder, `generated/${path}`).split("\n"));
      expect(
        before[index]!.split("\n").filter((line) => !lines.has(line) && !/^import |\{\}$/.test(line)),
      ).toEqual([]);
    }
    expect(read(folder, "generated/listed.ts")).toBe(before[2]);
    expect(await errorsIn(folder, `{ text: "x" }`)).toEqual([]);
    expect(await mcpgen(folder, ["check"])).toMatchObject({ code: 0 });

    // A second run does not change the lock.
    const text = read(folder, "schema/lock.json");
    expect((await mcpgen(folder, ["upgrade", "new.json", "--name", newer])).code).toBe(0);
    expect(read(folder, "schema/lock.json")).toBe(text);
  });

  test("revision add also keeps it; a draft and an older revision do not need to", async () => {
    const folder = await project();
    const add = (name: string, ...more: string[]): Promise<Ran> =>
      mcpgen(folder, ["revision", "add", "new.json", "--name", name, ...more]);
    expect((await add("next")).stdout).toContain(`vocabulary: ${older} stays what handlers write`);
    expect((await add("2029-01-01")).stdout).not.toContain("vocabulary");
    expect(lockOf(folder).vocabulary).toBeUndefined();
    const { stdout } = await add(newer, "--json");
    expect(documentOf({ stdout, stderr: "", code: 0 })).toMatchObject({ vocabulary: older });
    expect(lockOf(folder).vocabulary).toBe(older);
  });
});

describe("revision vocabulary", () => {
  test("first reports the changes for handlers and clients, then moves it; the types follow", async () => {
    const folder = await upgraded({
      "src/handler.ts": `import type { EchoResult } from "../generated/authoring.js";\nexport const echo = (): EchoResult => ({ text: "x" });\n`,
    });
    const command = ["revision", "vocabulary", newer];
    const rehearsed = await mcpgen(folder, [...command, "--dry-run", "--uses", "src"]);
    expect(rehearsed.code).toBe(0);
    expect(rehearsed.stdout).toContain(`Vocabulary: ${older} → ${newer}`);
    expect(rehearsed.stdout).toContain("this is a major version of the package");
    expect(rehearsed.stdout).toContain("EchoResult.lines");
    expect(rehearsed.stdout).toContain("used at src/handler.ts");
    expect(rehearsed.stdout).toContain("nothing was written (--dry-run)");
    // Methods that only one of the revisions has are not listed: their types are the same in both vocabularies.
    expect(rehearsed.stdout).not.toMatch(/\bsing\b|notifications\/log/);
    expect(lockOf(folder).vocabulary).toBe(older);

    const moved = documentOf(await mcpgen(folder, [...command, "--json"]));
    expect(moved).toMatchObject({
      ...{ before: older, vocabulary: newer, action: "moved", version: "major", written: true },
      diff: { from: older, to: newer },
    });
    const { findings } = moved["diff"] as { findings: { subject: { definition?: string } }[] };
    expect(new Set(findings.map(({ subject }) => subject.definition))).toEqual(new Set(["EchoResult"]));
    expect(lockOf(folder).vocabulary).toBe(newer);
    expect((await mcpgen(folder, ["check"])).code).toBe(1);
    expect((await mcpgen(folder, ["generate"])).code).toBe(0);
    expect(read(folder, "generated/listed.ts")).toContain(`export const vocabulary = "${newer}";`);
    expect(await errorsIn(folder, `{ lines: ["x"] }`)).toEqual([]);
    expect(await errorsIn(folder, `{ text: "x" }`)).not.toEqual([]);
    expect((await mcpgen(folder, ["check"])).code).toBe(0);
  });

  test("prints Markdown for a pull request, and moves back as well", async () => {
    const folder = await upgraded();
    pin(folder, newer);
    const { code, stdout } = await mcpgen(folder, ["revision", "vocabulary", older, "--format", "markdown"]);
    expect([code, lockOf(folder).vocabulary]).toEqual([0, older]);
    expect(stdout).toContain(`# Vocabulary: ${newer} → ${older}`);
    expect(stdout).toContain("`EchoResult.text`");
  });

  test("pins the current one, and then does nothing", async () => {
    const folder = await project();
    const command = ["revision", "vocabulary", older, "--json"];
    expect(documentOf(await mcpgen(folder, [...command, "--dry-run"]))).toMatchObject({
      action: "pinned",
      written: false,
    });
    expect(lockOf(folder).vocabulary).toBeUndefined();
    expect(documentOf(await mcpgen(folder, command))).toMatchObject({ action: "pinned", written: true });
    expect(lockOf(folder).vocabulary).toBe(older);
    const { mtimeMs } = statSync(join(folder, "schema/lock.json"));
    const again = await mcpgen(folder, ["revision", "vocabulary", older]);
    expect([again.code, again.stdout]).toEqual([0, `${older} is the vocabulary: nothing changes\n`]);
    expect(statSync(join(folder, "schema/lock.json")).mtimeMs).toBe(mtimeMs);
    expect((await mcpgen(folder, ["check"])).code).toBe(0);
  });

  test("refuses a name that is not a finished revision of the folder", async () => {
    const folder = await project({ "mcpgen.config.json": JSON.stringify({ revisions: [older] }) });
    await mcpgen(folder, ["revision", "add", "new.json", "--name", "next"]);
    await mcpgen(folder, ["revision", "add", "new.json", "--name", newer]);
    const text = read(folder, "schema/lock.json");
    const refused = async (name: string): Promise<unknown> =>
      documentOf(await mcpgen(folder, ["revision", "vocabulary", name, "--json"]));
    expect(await refused("2031-01-02")).toMatchObject({
      exit: 2,
      error: { code: "MG2010", next: `Did you mean ${newer}?` },
    });
    expect(await refused("next")).toMatchObject({
      exit: 2,
      error: { code: "MG2020", next: expect.stringContaining("--status released --replace") as string },
    });
    expect(await refused(newer)).toMatchObject({
      exit: 2,
      error: { code: "MG2020", place: { pointer: "/revisions" } },
    });
    expect(read(folder, "schema/lock.json")).toBe(text);
    rmSync(join(folder, "schema"), { recursive: true });
    expect(await refused(newer)).toMatchObject({ exit: 2, error: { code: "MG2010" } });
    expect(existsSync(join(folder, "schema"))).toBe(false);
    expect((await mcpgen(folder, ["revision", "vocabulary"])).code).toBe(2);
  });
});

test("a wrong vocabulary in the lock ends every command that needs it, and this command corrects it", async () => {
  const folder = await upgraded();
  pin(folder, "2031-01-02");
  for (const line of ["generate", "check", "revision list", "revision verify", "upgrade new.json --name x"]) {
    const ran = documentOf(await mcpgen(folder, [...line.split(" "), "--json"]));
    expect([line, ran]).toMatchObject([
      line,
      {
        exit: 3,
        error: {
          code: "MG1204",
          place: { pointer: "/vocabulary" },
          next: expect.stringContaining(`\`mcpgen revision vocabulary ${newer}\``) as string,
        },
      },
    ]);
  }
  expect((await mcpgen(folder, ["revision", "vocabulary", older])).code).toBe(0);
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
});

test("revision list shows it, and whether it is pinned", async () => {
  const folder = await upgraded();
  expect((await mcpgen(folder, ["revision", "list"])).stdout).toContain(`\nvocabulary: ${older} (pinned)\n`);
  expect(documentOf(await mcpgen(folder, ["revision", "list", "--json"]))).toMatchObject({
    ...{ vocabulary: older, pinned: true },
  });
  pin(folder, undefined);
  expect(documentOf(await mcpgen(folder, ["revision", "list", "--json"]))).toMatchObject({
    ...{ vocabulary: newer, pinned: false },
  });
});
