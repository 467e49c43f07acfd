import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Ran, mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema, smallSchemaText } from "../support/small-protocol.js";

const text = { type: "string" };

/** A successor of the small protocol: a new method, a new union, and a property that is required now. */
const { ServerResult: _, ...rest } = smallSchema.$defs;
const successor = JSON.stringify({
  ...smallSchema,
  $defs: {
    ...rest,
    EchoParams: { type: "object", properties: { text, lang: text }, required: ["text", "lang"] },
    Volume: { enum: ["low", "high"] },
    SingRequest: {
      type: "object",
      properties: {
        method: { const: "sing" },
        params: { type: "object", properties: { volume: { $ref: "#/$defs/Volume" } } },
      },
      required: ["method", "params"],
    },
    SingResult: { type: "object", properties: { song: text } },
    ClientRequest: { anyOf: [{ $ref: "#/$defs/EchoRequest" }, { $ref: "#/$defs/SingRequest" }] },
    ServerResult: { anyOf: [{ $ref: "#/$defs/EchoResult" }, { $ref: "#/$defs/SingResult" }] },
  },
});

const note = { kind: "deprecated", since: "2030-01-01", reason: "why", link: "https://example.com" };
const notes = JSON.stringify({
  format: 1,
  notes: [
    { ...note, target: "echo" },
    { ...note, target: "notifications/log" },
  ],
});

/** A generated project with notes, made once. */
let original: Promise<Map<string, string>> | undefined;

async function originalProject(): Promise<Map<string, string>> {
  const folder = await smallProject({ "next/schema.json": successor });
  writeFileSync(join(folder, "schema/2030-01-01/notes.json"), notes);
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  return new Map(filesBelow(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** A copy of that project, and the successor beside it. */
async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  original ??= originalProject();
  return temporaryFolder({ ...Object.fromEntries(await original), ...files });
}

function filesBelow(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => statSync(join(folder, path)).isFile()).sort();
}

const upgrade = (folder: string, ...more: string[]): Promise<Ran> =>
  mcpgen(folder, ["upgrade", "next/schema.json", "--name", "2031-01-01", ...more]);

interface Report {
  readonly action: string;
  readonly written: boolean;
  readonly settled: readonly { readonly title: string; readonly items: readonly string[] }[];
  readonly decisions: readonly {
    readonly kind: string;
    readonly title: string;
    readonly items: readonly string[];
    readonly questions: readonly { readonly paste: readonly { readonly kind?: string }[] }[];
  }[];
  readonly diff?: { readonly from: string; readonly to: string; readonly summary: object };
}

const reportOf = ({ stdout }: Ran): Report => JSON.parse(stdout) as Report;

/** Content and time of every file. */
function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesBelow(folder).map((path) => [
      path,
      `${statSync(join(folder, path)).mtimeMs} ${readFileSync(join(folder, path), "utf8")}`,
    ]),
  );
}

test("adds, carries notes over, generates, and lists the open decisions; afterwards check finds nothing", async () => {
  const folder = await project();
  const { code, stdout } = await upgrade(folder);
  expect(code).toBe(0);
  // The number of files is not a subject of this test.
  const shown = stdout.replace(/\d+ created.* unchanged/, "FILES");
  expect(shown.replace(/\d\.\d s/, "TIME").replace(/[0-9a-f]{12}/, "SHA")).toMatchInlineSnapshot(`
    "Upgrade: 2030-01-01 → 2031-01-01

    What is new
      - Requests: sing from client
      - Required members: EchoParams.lang
      - Types: SingRequest, SingResult, Volume

    If you write a server: what may cause problems (1)
      The effect depends on your code.
      - request-added: sing from client
          A receiver that does not know the request answers with -32601; usually a capability gates it. → Answer it, or do not declare the capability that gates it.

    If you write a client: what breaks (1)
      Code for the old revision does not work with a peer of the new one.
      - property-added-required: EchoParams.lang
          An old writer omits it. → Write the property in every message that contains the object.

    If you write a gateway
      A gateway is a server to one side and a client to the other; all of the above holds for it. Of messages that it passes on:
      - Pass on as they are (1): notifications/log
          Neither params nor results differ between the two revisions.
      - Translate between the revisions (1): echo
          The steps of steps.ts do it (\`lift\` and \`lower\`); a loss is an event \`loss\` (\`onEvent\`), and a refusal is the answer to the request.
          echo: params to 2030-01-01
          echo: params to 2031-01-01 (refused: no-newer-form)
      - Methods that are new (1): sing (request of the client)
          A peer of 2030-01-01 has no such method: do not declare its capability to the other side, answer a request with -32601, and drop a notification.

    What needs code (2)
      Steps and notes convert messages. These methods and members are code, at the places below:
      - Handshake: 2031-01-01
          2031-01-01: Its era is taken to be legacy, because no request must carry _meta; it has neither of initialize and server/discover. The runtime opens conversations with these methods alone: a client and a server of 2031-01-01 need code that opens one.
            runtime/cluster/sharing/shared-session.ts, runtime/core/client/client.ts, runtime/core/client/connection.ts, runtime/core/client/negotiation.ts, runtime/core/http/client/http-client.ts, runtime/core/http/server/posts.ts, runtime/core/legacy/client/batch.ts, runtime/core/legacy/client/handshake.ts, runtime/core/legacy/http/session-requests.ts, runtime/core/legacy/server/handshake.ts, runtime/core/protocol/revision-view.ts, runtime/core/server/request.ts, runtime/core/server/server.ts
      - Methods without a handler: sing
          sing: The runtime has no function for it. Without a handler it is answered with -32601.
            server.handle("sing", …), client.request("sing", …)

    Done
      - Schema added. 2031-01-01, released, 2020-12, 10 definitions; sha256 SHA…
      - Notes. 2 carried over from 2030-01-01, 0 left behind
      - Output. 2030-01-01, 2031-01-01: FILES
      - Vocabulary. 2030-01-01 stays what handlers write and clients read; \`mcpgen revision vocabulary 2031-01-01\` moves it, in a major version of the package

    Decided
      - 1 note carried over from 2030-01-01, and still right by the schema. The schema says of their subjects what it said before. Delete the "carried" marks once the text of the specification agrees.
          deprecated on notifications/log (/notes/1)

    To decide
      [ ] 1 note carried over from 2030-01-01, about what has changed or what no schema shows. Check each note against the new specification; then delete its "carried" mark, or the note. (schema/2031-01-01/notes.json)
          - deprecated on echo (/notes/0): does it still hold? If not, delete it or change it. If so, paste in the place of /notes/0:
              {"kind":"deprecated","since":"2030-01-01","reason":"why","link":"https://example.com","target":"echo"}
      [ ] 1 thing assumed about era. If an assumption is wrong, correct it with a note; \`mcpgen explain MG1201\` lists the kinds. (schema/2031-01-01/notes.json)
          - 2031-01-01: Its era is taken to be legacy, because no request must carry _meta; it has neither of initialize and server/discover.
      [ ] 1 value of 2030-01-01 has no form in 2031-01-01. Messages that hold one are refused on the way from 2030-01-01 to 2031-01-01, until a note of kind lift decides otherwise. (schema/2031-01-01/notes.json)
          - Do values that have no form in 2031-01-01 become what these notes say? They lose least: a text in place of the value, else nothing, a sample for a member that must be there, else a refusal. Write another "how" where people expect another; the notes belong together, and with those on members that may be renamed ones. If so, paste at /notes/-:
              {"kind":"lift","target":"/$defs/EchoParams/properties/lang","previous":"2030-01-01","how":"fill","value":"example","reason":"WRITE HERE: what the specification says, in a sentence","link":"WRITE HERE: the address of the page that says it"}
      [ ] 3 new unions or string sets are closed: no note says that later revisions may add to them. Where the specification leaves one open, add it to the note of kind open. (schema/2031-01-01/notes.json)
          - May later revisions add to /$defs/ClientRequest (now EchoRequest, SingRequest)? If so, paste at /notes/-:
              {"kind":"open","target":"/$defs/ClientRequest","reason":"WRITE HERE: what the specification says, in a sentence","link":"WRITE HERE: the address of the page that says it"}
          - May later revisions add to /$defs/Volume (now high, low)? If so, paste at /notes/-:
              {"kind":"open","target":"/$defs/Volume","reason":"WRITE HERE: what the specification says, in a sentence","link":"WRITE HERE: the address of the page that says it"}
          - May later revisions add to /$defs/ServerResult (now EchoResult, SingResult)? If so, paste at /notes/-:
              {"kind":"open","target":"/$defs/ServerResult","reason":"WRITE HERE: what the specification says, in a sentence","link":"WRITE HERE: the address of the page that says it"}
      [ ] 1 method is new. A schema does not say which capability gates a method, which headers repeat its params, whether its result is cacheable, or whether it is answered only when its stream ends: add notes of kind capability, header, cacheable and listening. (schema/2031-01-01/notes.json)
          - sing: the schema has no sign of a capability, a header, cache hints or a stream.

    Limits of this report
      - Descriptions were not compared: not both schemas have them.
      - Not visible in a schema: HTTP headers, transports, authorization.

    Next
      - Read the revision as one line a method and property: generated/2031-01-01/PROTOCOL.md.
      - After each change of notes: mcpgen generate.
      - Type-check what is written against the types, then: mcpgen check.
    2031-01-01: added, 5 points to decide, 2 parts need code, 1 breaking change, TIME
    "
  `);
  const lock = JSON.parse(readFileSync(join(folder, "schema/lock.json"), "utf8")) as { revisions: object };
  expect(Object.keys(lock.revisions)).toEqual(["2030-01-01", "2031-01-01"]);
  expect(existsSync(join(folder, "generated/2031-01-01/types.ts"))).toBe(true);
  const checked = await mcpgen(folder, ["check"]);
  expect([checked.code, checked.stdout]).toEqual([
    0,
    expect.stringContaining("carried notes are not confirmed"),
  ]);
});

test("upgrade writes the same files as revision add and generate", async () => {
  const [one, two] = [await project(), await project()];
  await upgrade(one);
  await mcpgen(two, ["revision", "add", "next/schema.json", "--name", "2031-01-01"]);
  await mcpgen(two, ["generate"]);
  const contents = (folder: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(snapshot(folder)).map(([path, entry]) => [path, entry.replace(/^\S+ /, "")]),
    );
  expect(contents(one)).toEqual(contents(two));
});

test("a second run changes nothing, and lists what is still left", async () => {
  const folder = await project();
  await upgrade(folder);
  const file = join(folder, "schema/2031-01-01/notes.json");
  writeFileSync(file, readFileSync(file, "utf8").replace(/,\s*"carried": true/, ""));
  await mcpgen(folder, ["generate"]);
  const before = snapshot(folder);
  const again = reportOf(await upgrade(folder, "--json"));
  expect(snapshot(folder)).toEqual(before);
  expect(again).toMatchObject({ action: "unchanged", written: false });
  // The schema of the other note's subject has not changed.
  expect(again.decisions.filter(({ kind }) => kind === "carried-notes")).toEqual([]);
  expect(again.settled.map(({ items }) => items)).toEqual([[expect.stringContaining("notifications/log")]]);
  expect(again.diff).toMatchObject({ from: "2030-01-01", to: "2031-01-01" });
});

test("--dry-run reports the same and writes nothing", async () => {
  const folder = await project();
  const before = snapshot(folder);
  const dry = reportOf(await upgrade(folder, "--dry-run", "--json"));
  expect(snapshot(folder)).toEqual(before);
  const real = reportOf(await upgrade(folder, "--json"));
  expect([dry.written, real.written]).toEqual([false, true]);
  expect([dry.decisions, dry.diff]).toEqual([real.decisions, real.diff]);
});

describe("all or nothing", () => {
  test("with a file edited by hand, nothing is written without --force", async () => {
    const folder = await project();
    writeFileSync(join(folder, "generated/index.ts"), "mine\n");
    const before = snapshot(folder);
    const refused = await upgrade(folder);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("generated/index.ts: error MG3001");
    expect(refused.stdout.trimEnd().split("\n").at(-1)).toBe(
      "Run: mcpgen upgrade next/schema.json --name 2031-01-01 --force",
    );
    expect(snapshot(folder)).toEqual(before);
    expect((await upgrade(folder, "--force")).code).toBe(0);
    expect(readFileSync(join(folder, "generated/index.ts"), "utf8")).toContain("2031-01-01");
  });

  test.each([
    ["not JSON", "{", 3, "MG1002"],
    ["a schema with an unresolved reference", '{"$defs":{"A":{"$ref":"#/$defs/B"}}}', 3, "MG1105"],
  ])("%s: nothing is written", async (_, content, exit, error) => {
    const folder = await project({ "bad.json": content });
    const before = snapshot(folder);
    const { code, stderr } = await mcpgen(folder, ["upgrade", "bad.json", "--name", "2031-01-01"]);
    expect([code, stderr]).toEqual([exit, expect.stringContaining(`error ${error}`)]);
    expect(snapshot(folder)).toEqual(before);
  });

  test("a run that was killed in the middle is repeated; a journal in the folder is not trusted", async () => {
    const folder = await project();
    const left = join(folder, ".mcpgen-write-999999999");
    mkdirSync(left);
    const journal = [{ path: "schema/lock.json", existed: false }];
    writeFileSync(join(left, "journal.json"), JSON.stringify(journal));
    const lock = readFileSync(join(folder, "schema/lock.json"), "utf8");
    // The schema was put in place, the lock was not.
    mkdirSync(join(folder, "schema/2031-01-01"));
    expect((await mcpgen(folder, ["generate"])).code).toBe(0);
    expect(readFileSync(join(folder, "schema/lock.json"), "utf8")).toBe(lock);
    expect(existsSync(join(left, "journal.json"))).toBe(true);
  });
});

test("another file of an existing revision needs --replace, and is compared with the replaced one", async () => {
  const folder = await project();
  const args = ["upgrade", "next/schema.json", "--name", "2030-01-01"];
  const refused = await mcpgen(folder, args);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("error MG2009")]);
  const replaced = await mcpgen(folder, [...args, "--replace", "--json"]);
  expect(reportOf(replaced)).toMatchObject({
    action: "replaced",
    diff: { from: "2030-01-01", to: "2030-01-01", summary: { breaking: 1 } },
  });
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
});

test("notes that the other file makes needless are removed, all others stay unchanged", async () => {
  const folder = await project();
  const file = join(folder, "schema/2030-01-01/notes.json");
  const gone = { ...note, target: ["/$defs/ServerNotification", "echo"] };
  const kept = { ...note, target: "/$defs/EchoResult" };
  writeFileSync(file, JSON.stringify({ format: 1, notes: [gone, kept] }));
  const { ServerNotification: __, ...without } = (JSON.parse(successor) as typeof smallSchema).$defs;
  writeFileSync(join(folder, "next/schema.json"), JSON.stringify({ ...smallSchema, $defs: without }));
  const args = ["upgrade", "next/schema.json", "--name", "2030-01-01", "--replace", "--json"];
  const { decisions } = reportOf(await mcpgen(folder, args));
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    format: 1,
    notes: [{ ...gone, target: "echo" }, kept],
  });
  expect(decisions).toContainEqual(
    expect.objectContaining({
      kind: "dropped-notes",
      title: "1 note was not kept",
      items: [expect.stringContaining("deprecated on /$defs/ServerNotification")],
    }),
  );
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
});

test("the very first revision is not compared", async () => {
  const folder = temporaryFolder({ "schema.json": smallSchemaText });
  const ran = await mcpgen(folder, ["upgrade", "schema.json", "--name", "first", "--json"]);
  expect(ran.code).toBe(0);
  expect(reportOf(ran)).toMatchObject({ action: "added", written: true });
  expect(reportOf(ran).diff).toBeUndefined();
});

test("a configuration that lists its revisions must list the new one", async () => {
  const folder = await project({ "mcpgen.config.json": '{"revisions":["2030-01-01"]}' });
  const { decisions } = reportOf(await upgrade(folder, "--json"));
  expect(decisions).toContainEqual(
    expect.objectContaining({ kind: "configuration", file: "mcpgen.config.json" }),
  );
  expect(existsSync(join(folder, "generated/2031-01-01/types.ts"))).toBe(true);
});

test("prose is kept or left out like in the previous revision", async () => {
  const described = successor.replace('"type":"object"', '"description":"Prose.","type":"object"');
  for (const [option, kept] of [
    [[], true],
    [["--no-descriptions"], false],
  ] as const) {
    const folder = await smallProject({ "next/schema.json": described });
    await mcpgen(folder, ["revision", "add", "2030-01-01/schema.json", "--replace", ...option]);
    await upgrade(folder);
    const stored = readFileSync(join(folder, "schema/2031-01-01/schema.json"), "utf8");
    expect(stored.includes("Prose.")).toBe(kept);
  }
});

test("the guide as markdown has boxes to tick and a section for each role", async () => {
  const { stdout } = await upgrade(await project(), "--dry-run", "--format", "markdown");
  expect(stdout).toMatch(/^# Upgrade: 2030-01-01 → 2031-01-01\n/);
  expect(stdout).toContain("- **1 note carried over from 2030-01-01, and still right by the schema**");
  expect(stdout).toContain("- [ ] **1 note carried over from 2030-01-01, about what has changed");
  expect(stdout).toContain("## If you write a client: what breaks (1)");
  expect(stdout).toContain("- **property-added-required**: `EchoParams.lang`.");
  expect(stdout).toContain("## If you write a server: what may cause problems (1)");
});

test("from standard input", async () => {
  const folder = await project();
  const stdin = (async function* () {
    yield Buffer.from(smallSchemaText);
  })();
  const ran = await mcpgen(folder, ["upgrade", "-", "--name", "2031-01-01", "--json"], { stdin });
  expect(reportOf(ran).diff?.summary).toEqual({ breaking: 0, dangerous: 0, safe: 0 });
});

test("the file of another revision, and a name older than the newest, are reported", async () => {
  const folder = await project();
  const named = (name: string, file: string): Promise<Ran> =>
    mcpgen(folder, ["upgrade", file, "--name", name, "--json"]);
  const found = (ran: Ran): unknown => (JSON.parse(ran.stdout) as { findings: unknown }).findings;
  const slip = await named("2031-13-45", "2030-01-01/schema.json");
  expect(found(slip)).toEqual([
    expect.objectContaining({
      code: "MG3112",
      severity: "warning",
      message: "2031-13-45 is the same file as 2030-01-01: its sha256 is in the lock",
    }),
  ]);
  // A name that is not a date of the calendar is a draft.
  expect(JSON.parse(slip.stdout)).toMatchObject({ locked: { status: "draft" } });
  expect(found(await named("2029-12-31", "next/schema.json"))).toEqual([
    expect.objectContaining({ message: "2029-12-31 is older than 2030-01-01, the newest revision" }),
  ]);
});

describe("a member that may have another name now", () => {
  const renamedSchema = JSON.stringify({
    ...smallSchema,
    $defs: {
      ...smallSchema.$defs,
      EchoResult: { type: "object", properties: { echoed: text, times: { type: "integer" } } },
    },
  });
  const wanted = {
    kind: "renamed",
    target: "/$defs/EchoResult/properties/echoed",
    previous: "2030-01-01",
    from: "text",
  };
  const proposed = (ran: Ran): object[] =>
    reportOf(ran).decisions.flatMap(({ questions }) =>
      questions.flatMap(({ paste }) => paste.filter(({ kind }) => kind === "renamed")),
    );
  const unwritten = expect.stringMatching(/^WRITE HERE/) as string;

  test("is reported with the note to write; with that note, nothing is lost", async () => {
    const folder = await project({ "next/schema.json": renamedSchema });
    const first = await upgrade(folder, "--format", "json");
    expect(proposed(first)).toEqual([{ ...wanted, reason: unwritten, link: unwritten }]);

    const file = join(folder, "schema/2031-01-01/notes.json");
    const present = JSON.parse(readFileSync(file, "utf8")) as { notes: object[] };
    const note = { ...wanted, reason: "It is.", link: "https://example.com" };
    writeFileSync(file, JSON.stringify({ ...present, notes: [...present.notes, note] }));
    expect((await mcpgen(folder, ["generate"])).code).toBe(0);
    const steps = readFileSync(join(folder, "generated/2031-01-01/steps.ts"), "utf8");
    expect(steps).toContain('renamed(value, "echoed", "text", report, at)');
    expect(steps).toContain('renamed(value, "text", "echoed", report, at)');
    const diff = await mcpgen(folder, ["diff", "2030-01-01", "2031-01-01", "--format", "json"]);
    const rules = (JSON.parse(diff.stdout) as { findings: { rule: string }[] }).findings.map(
      ({ rule }) => rule,
    );
    expect(rules).toContain("property-renamed");
    expect(rules).not.toContain("property-removed");

    // The draft is upgraded again: the decisions remain.
    const again = await upgrade(folder, "--force", "--format", "json");
    expect(proposed(again)).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain('"renamed"');
  });

  test("is reported again when the schema is added again, compared with the previous revision", async () => {
    const folder = await project({ "next/schema.json": renamedSchema });
    await upgrade(folder);
    expect(proposed(await upgrade(folder, "--format", "json"))).toMatchObject([wanted]);
  });

  test("is refused by generate, with its place, if the note renames nothing", async () => {
    const folder = await project({ "next/schema.json": renamedSchema });
    await upgrade(folder);
    const file = join(folder, "schema/2031-01-01/notes.json");
    const note = { ...wanted, from: "song", reason: "It is not.", link: "https://example.com" };
    writeFileSync(file, JSON.stringify({ format: 1, notes: [note] }));
    const { code, stderr } = await mcpgen(folder, ["generate"]);
    expect(code).toBe(3);
    expect(stderr).toContain("MG1203");
    expect(stderr).toContain("/$defs/EchoResult/properties/echoed");
  });
});

test("the guide has new errors by number, for the role that gets them", async () => {
  const error = {
    type: "object",
    properties: { code: { const: -32020 }, message: text },
    required: ["code"],
  };
  const schema = JSON.parse(successor) as { $defs: object };
  const added = JSON.stringify({ ...schema, $defs: { ...schema.$defs, TooLoudError: error } });
  const folder = await project({ "2031-01-01/schema.json": added });
  const ran = await mcpgen(folder, ["upgrade", "2031-01-01/schema.json"]);
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  expect(ran.stdout).toMatch(/If you write a client: new errors that you may get \(1\)[^]*-32020 TOO_LOUD/);
  expect(ran.stdout).not.toContain("If you write a server: new errors");
  expect(ran.stdout).toMatch(/What is new[^]*Errors[^\n]*-32020 TOO_LOUD/);
});

test("the guide has errors that are gone or changed by number", async () => {
  const errorOf = (code: number): object => ({
    type: "object",
    properties: { code: { const: code }, message: text },
    required: ["code"],
  });
  const withErrors = (errors: object): string =>
    JSON.stringify({ ...smallSchema, $defs: { ...smallSchema.$defs, ...errors } });
  const folder = temporaryFolder({
    // The code of one error becomes the code of another.
    "2030-01-01/schema.json": withErrors({ TooLoudError: errorOf(-32020), TooBusyError: errorOf(-32021) }),
    "2031-01-01/schema.json": withErrors({ TooLoudError: errorOf(-32021), TooLateError: errorOf(-32022) }),
    "src/codes.ts": "export const codes = [-32020, -32021, -32022, 32020];\n",
  });
  for (const words of [
    ["revision", "add", "2030-01-01/schema.json"],
    ["generate", "--only", "types"],
  ])
    expect((await mcpgen(folder, words)).code).toBe(0);
  const words = ["upgrade", "2031-01-01/schema.json", "--dry-run", "--uses", "src", "--force"];
  const { code, stdout } = await mcpgen(folder, words);
  expect(code).toBe(0);
  for (const error of ["-32020 → -32021 TOO_LOUD", "-32021 TOO_BUSY", "-32022 TOO_LATE"])
    expect(stdout).toContain(error);
  expect(stdout).not.toContain("TOO_LOUD.code");
  expect([...stdout.matchAll(/used at (\S+): (\S+)/g)].map(([, at, name]) => `${at} ${name}`).sort()).toEqual(
    [
      ...["src/codes.ts:1:23 -32020", "src/codes.ts:1:23 -32020"],
      ...["src/codes.ts:1:31 -32021", "src/codes.ts:1:31 -32021"],
    ],
  );
});

test("a list with a new flag causes a question, with the note for incomplete lists", async () => {
  const request = (method: string, params: object): object => ({
    type: "object",
    properties: { method: { const: method }, params },
    required: ["method", "params"],
  });
  const listing = (more: object, items: object): object => ({
    type: "object",
    properties: { songs: { type: "array", items }, nextCursor: text, ...more },
    required: ["songs"],
  });
  const named = { type: "object", properties: { title: text }, required: ["title"] };
  const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
  const withList = (result: object, more: object = {}): string =>
    JSON.stringify({
      ...smallSchema,
      $defs: {
        ...smallSchema.$defs,
        ListSongsRequest: request("songs/list", { type: "object", properties: { cursor: text } }),
        ListSongsResult: result,
        Song: { ...named, properties: { title: text, text }, required: ["text", "title"] },
        ...more,
      },
    });
  const folder = temporaryFolder({
    "2030-01-01/schema.json": withList(listing({}, ref("Song"))),
    "2031-01-01/schema.json": withList(
      listing({ complete: { type: "boolean" } }, { anyOf: [ref("Song"), ref("SongReference")] }),
      {
        SongReference: named,
        GetSongRequest: request("songs/get", named),
        GetSongResult: { type: "object", properties: { song: ref("Song") }, required: ["song"] },
      },
    ),
  });
  expect((await mcpgen(folder, ["revision", "add", "2030-01-01/schema.json"])).code).toBe(0);
  const ran = await mcpgen(folder, ["upgrade", "2031-01-01/schema.json", "--json"]);
  expect(ran.code).toBe(0);
  const notes = reportOf(ran)
    .decisions.filter(({ title }) => title.includes("leaves entries out"))
    .flatMap(({ questions }) => questions.flatMap(({ paste }) => paste));
  expect(notes).toMatchObject([
    {
      ...{ kind: "partial", target: "songs/list", member: "/complete", means: false },
      ...{ item: "/$defs/SongReference", get: "songs/get" },
    },
  ]);
  // The proposed note is accepted without change.
  const file = join(folder, "schema/2031-01-01/notes.json");
  writeFileSync(file, JSON.stringify({ format: 1, notes }));
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  expect(readFileSync(join(folder, "generated/2031-01-01/methods.ts"), "utf8")).toContain("partial: {");
});
