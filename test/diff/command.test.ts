import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { mcpgen } from "../command/in-process.js";
import { smallSchema } from "../command/small-protocol.js";
import { pairs } from "./models.js";

/** `smallSchema` with another EchoParams. */
const withParams = (params: object): string =>
  JSON.stringify({ ...smallSchema, $defs: { ...smallSchema.$defs, EchoParams: params } }, null, 2);

const text = { type: "string" };
const old = JSON.stringify(smallSchema);
const breaking = withParams({ type: "object", properties: { text, lang: text }, required: ["text", "lang"] });
const dangerous = withParams({
  type: "object",
  properties: { text: { ...text, format: "uri" } },
  required: ["text"],
});
const safe = withParams({ type: "object", properties: { text, lang: text }, required: ["text"] });

const files = { "old.json": old, "breaking.json": breaking, "dangerous.json": dangerous, "safe.json": safe };

const run = (folder: string, ...args: string[]): ReturnType<typeof mcpgen> =>
  mcpgen(folder, ["diff", "old.json", ...args]);

test.each([
  ["old.json", "any", 0],
  ["safe.json", "breaking", 0],
  ["safe.json", "any", 1],
  ["dangerous.json", "breaking", 0],
  ["dangerous.json", "dangerous", 1],
  ["breaking.json", "breaking", 1],
  ["breaking.json", "never", 0],
] as const)("%s with --fail-on %s ends with %i", async (file, failOn, code) => {
  expect((await run(temporaryFolder(files), file, "--fail-on", failOn)).code).toBe(code);
});

test("only the role that was asked for counts", async () => {
  const folder = temporaryFolder(files);
  expect((await run(folder, "breaking.json", "--role", "client")).code).toBe(1);
  expect((await run(folder, "breaking.json", "--role", "server")).code).toBe(0);
});

test("the text report says whom it hits, where, and how to approve it", async () => {
  const { stdout } = await run(temporaryFolder(files), "breaking.json", "--verbose");
  expect(stdout.replace(/[0-9a-f]{12}/g, "FINGERPRINT")).toMatchInlineSnapshot(`
    "A client of old.json meets 1 breaking change when its server moves to breaking.json.

    Breaking (1)
      client property-added-required: EchoParams.lang: string breaking.json:26
             An old writer omits it.
             → Write the property, in every message that has the object.
             reaches echo
             old takes, new refuses: {"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"text"}}
             [FINGERPRINT]

    To approve one, add its line to "approvals" in mcp-approvals.json:
      {"fingerprint":"FINGERPRINT","rule":"property-added-required","subject":"EchoParams.lang","reason":"…","by":"…","until":"YYYY-MM-DD"}

    old.json is read without notes; 1 thing was assumed from the schema alone.
    breaking.json is read without notes; 1 thing was assumed from the schema alone.
    Descriptions were not compared: not both schemas have them.
    Not visible in a schema: HTTP headers, transports, authorization.
    old.json → breaking.json: 1 breaking, 0 dangerous, 0 safe; code written against the types meets 1 of them
    "
  `);
});

test("the markdown report is the body of a pull request", async () => {
  const { stdout } = await run(temporaryFolder(files), "breaking.json", "--format", "markdown");
  expect(stdout).toMatchInlineSnapshot(`
    "## Protocol: old.json → breaking.json

    old.json → breaking.json: 1 breaking, 0 dangerous, 0 safe; code written against the types meets 1 of them.

    - A client of old.json meets 1 breaking change when its server moves to breaking.json.

    ### Breaking

    | hits | rule | what | change | what to do |
    | --- | --- | --- | --- | --- |
    | client | property-added-required | \`EchoParams.lang\` | \`string\` | Write the property, in every message that has the object. |

    <details><summary>Examples</summary>

    - \`EchoParams.lang\` (property-added-required): the old revision takes it, the new one refuses it
      \`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"text"}}\`

    </details>

    _old.json is read without notes; 1 thing was assumed from the schema alone._

    _breaking.json is read without notes; 1 thing was assumed from the schema alone._

    _Descriptions were not compared: not both schemas have them._

    _Not visible in a schema: HTTP headers, transports, authorization._
    "
  `);
});

test("annotations stand at the line of the file they are about", async () => {
  const { stdout, code } = await run(temporaryFolder(files), "breaking.json", "--format", "github");
  const [, line] =
    /^::error file=breaking\.json,line=(\d+),title=MG3201::property-added-required: EchoParams\.lang/m.exec(
      stdout,
    )!;
  expect(breaking.split("\n")[Number(line) - 1]).toContain('"lang": {');
  expect(code).toBe(1);
});

const schema = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync("docs/diff.schema.json", "utf8")) as object,
);

test.each(pairs)("%s → %s: the json report is what docs/diff.schema.json says", async (from, to) => {
  const { stdout } = await mcpgen(".", ["diff", from, to, "--format", "json", "--readers", "closed"]);
  const report = JSON.parse(stdout) as {
    findings: { at: Record<string, { file: string; line: number } | null> }[];
  };
  expect(schema(report), JSON.stringify(schema.errors)).toBe(true);
  for (const { at } of report.findings) {
    for (const place of Object.values(at))
      if (place) expect(place.file).toMatch(/^schema\/.*\/schema\.json$/);
  }
});

const approval = (fingerprint: string, more: object = {}): string =>
  JSON.stringify({
    format: 1,
    approvals: [
      {
        fingerprint,
        rule: "property-added-required",
        subject: "EchoParams.lang",
        reason: "meant",
        by: "me",
        ...more,
      },
    ],
  });

async function fingerprintIn(folder: string): Promise<string> {
  const { stdout } = await run(folder, "breaking.json", "--json");
  return (JSON.parse(stdout) as { findings: { fingerprint: string }[] }).findings[0]!.fingerprint;
}

test("an approved finding does not fail the command; one that has expired does, and is named", async () => {
  const fingerprint = await fingerprintIn(temporaryFolder(files));
  const approved = await run(
    temporaryFolder({ ...files, "mcp-approvals.json": approval(fingerprint) }),
    "breaking.json",
  );
  expect(approved.code).toBe(0);
  expect(approved.stdout).toContain("approved");
  const expired = approval(fingerprint, { until: "2020-01-01" });
  const after = await run(temporaryFolder({ ...files, "mcp-approvals.json": expired }), "breaking.json");
  expect(after.code).toBe(1);
  expect(after.stdout).toContain("warning MG3204");
});

test("the printed line approves the finding when it is added", async () => {
  const { stdout } = await run(temporaryFolder(files), "breaking.json");
  const line = JSON.parse(/^ {2}(\{"fingerprint".*\})$/m.exec(stdout)![1]!) as object;
  const approvals = JSON.stringify({ format: 1, approvals: [{ ...line, until: "2999-12-31" }] });
  expect(
    (await run(temporaryFolder({ ...files, "mcp-approvals.json": approvals }), "breaking.json")).code,
  ).toBe(0);
});

test("an approval that matches nothing is named", async () => {
  const folder = temporaryFolder({ ...files, "mcp-approvals.json": approval("0".repeat(12)) });
  const { code, stdout } = await run(folder, "safe.json");
  expect(code).toBe(0);
  expect(stdout).toContain("warning MG3203");
});

test.each([
  ["[]", /MG3205: expected \{ "format": 1/],
  ['{"format":1,"approvals":[{"fingerprint":"x"}]}', /\/approvals\/0.*MG3205: expected rule to be a text/],
])("approvals %s are malformed", async (content, message) => {
  const { code, stderr } = await run(
    temporaryFolder({ ...files, "mcp-approvals.json": content }),
    "safe.json",
  );
  expect(code).toBe(3);
  expect(stderr).toMatch(message);
});

test("with a baseline only new findings fail", async () => {
  const folder = temporaryFolder(files);
  const { stdout } = await run(folder, "breaking.json", "--json");
  const withBaseline = temporaryFolder({ ...files, "base.json": stdout });
  expect((await run(withBaseline, "breaking.json", "--baseline", "base.json")).code).toBe(0);
  expect(
    (await run(withBaseline, "dangerous.json", "--baseline", "base.json", "--fail-on", "any")).code,
  ).toBe(1);
  expect(
    (await run(temporaryFolder({ ...files, "base.json": "{}" }), "safe.json", "--baseline", "base.json"))
      .code,
  ).toBe(3);
});

const config = (rules: object): string => JSON.stringify({ diff: { rules } });

test("the configuration gives rules other severities", async () => {
  const off = temporaryFolder({
    ...files,
    "mcpgen.config.json": config({ "property-added-required": "off" }),
  });
  expect((await run(off, "breaking.json")).stdout).toContain("no differences");
  const harsh = temporaryFolder({
    ...files,
    "mcpgen.config.json": config({ "bound-tightened": "breaking" }),
  });
  expect((await run(harsh, "dangerous.json")).code).toBe(1);
  const wrong = await run(
    temporaryFolder({ ...files, "mcpgen.config.json": config({ "enum-value-aded": "off" }) }),
    "safe.json",
  );
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(
    /MG3207: there is no rule "enum-value-aded"\n.*Did you mean enum-value-added\?/,
  );
});

test("beside a file a revision is read without notes, too: what they correct is no change", async () => {
  const file = join("schema", "2025-11-25", "schema.json");
  const { code, stdout } = await mcpgen(".", ["diff", "2025-11-25", file]);
  expect(code).toBe(0);
  expect(stdout).toContain("no differences");
  expect(stdout).toContain("2025-11-25 is read without notes");
});

test("a file is read without notes, and the report says so", async () => {
  expect((await run(temporaryFolder(files), "safe.json")).stdout).toContain(
    "safe.json is read without notes",
  );
});

test.each([
  [
    ["diff", "2025-11-26", "2026-07-28"],
    2,
    /MG3208: "2025-11-26" is neither a revision nor a file\n.*Did you mean 2025-11-25\?/,
  ],
  [["diff", "2025-11-25", join("docs", "rules.md")], 3, /MG1002/],
  [["diff", "2025-11-25", "package.json"], 3, /MG11/],
  [["diff", "2025-11-25"], 2, /MG2003/],
  [["diff", "2025-11-25", "2026-07-28", "--fail-on", "braking"], 2, /MG2004.*\n.*Did you mean breaking/],
])("%s ends with %i", async (args, exit, message) => {
  const { code, stderr } = await mcpgen(".", args);
  expect(code).toBe(exit);
  expect(stderr).toMatch(message);
});
