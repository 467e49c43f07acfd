import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { pairs } from "./models.js";
import { breaking, files, run } from "./small-files.js";

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

test("only the requested role counts", async () => {
  const folder = temporaryFolder(files);
  expect((await run(folder, "breaking.json", "--role", "client")).code).toBe(1);
  expect((await run(folder, "breaking.json", "--role", "server")).code).toBe(0);
});

test("the text report names the role, the place, and how to approve it", async () => {
  const { stdout } = await run(temporaryFolder(files), "breaking.json", "--verbose");
  expect(stdout.replace(/[0-9a-f]{12}/g, "FINGERPRINT")).toMatchInlineSnapshot(`
    "A client of old.json meets 1 breaking change when its server moves to breaking.json.

    Breaking (1)
      client property-added-required: EchoParams.lang: (absent) → string breaking.json:26
             An old writer omits it.
             → Write the property in every message that contains the object.
             reaches echo
             old takes, new refuses: {"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"text"}}
             [FINGERPRINT]

    To approve it, write mcp-approvals.json:
      {"format":1,"approvals":[
      {"fingerprint":"FINGERPRINT","rule":"property-added-required","subject":"EchoParams.lang","reason":"…","by":"…","until":"YYYY-MM-DD"}
      ]}

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
    | client | property-added-required | \`EchoParams.lang\` | (absent) → \`string\` | Write the property in every message that contains the object. |

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

test("annotations have the line of the concerned file", async () => {
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

test.each(pairs)("%s → %s: the json report matches docs/diff.schema.json", async (from, to) => {
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

test("the same schema under another name and in another order shows no difference", async () => {
  const reordered = Object.fromEntries(Object.entries(JSON.parse(files["old.json"]) as object).reverse());
  const folder = temporaryFolder({ ...files, "copy.json": JSON.stringify(reordered, null, 4) });
  const { stdout, code } = await run(folder, "copy.json", "--fail-on", "any");
  expect(stdout).toContain("old.json → copy.json: no differences");
  expect(code).toBe(0);
});

test("a revision that is compared with a file is also read without notes, so corrections do not count as changes", async () => {
  const file = join("schema", "2025-11-25", "schema.json");
  const { code, stdout } = await mcpgen(".", ["diff", "2025-11-25", file]);
  expect(code).toBe(0);
  expect(stdout).toContain("no differences");
  expect(stdout).toContain("2025-11-25 is read without notes");
});

test("a changed upstream file of a pinned revision differs from a new revision in the report", async () => {
  const published = readFileSync(join("schema", "2025-11-25", "schema.json"), "utf8");
  const document = JSON.parse(published) as { $defs: Record<string, object> };
  // As the notes correct it.
  Object.assign(document.$defs["ElicitResult"]!, mended(document.$defs["ElicitResult"]!));
  const folder = temporaryFolder({ "2025-11-25/schema.json": JSON.stringify(document) });
  const { stdout, code } = await mcpgen(".", [
    "diff",
    "2025-11-25",
    join(folder, "2025-11-25", "schema.json"),
    "--json",
  ]);
  const { findings } = JSON.parse(stdout) as { findings: { rule: string; subject: object }[] };
  expect(findings.map(({ rule, subject }) => `${rule} ${Object.values(subject).join(".")}`)).toEqual([
    "integer-to-number ElicitResult.content{}",
    "published-file-changed 2025-11-25.",
    "errata-stale ElicitResult.content{}",
  ]);
  expect(code).toBe(0);
});

function mended(elicited: object): object {
  return JSON.parse(JSON.stringify(elicited).replace('"integer"', '"number"')) as object;
}

test("a file is read without notes, and the report states that", async () => {
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
  [["docs", "localhost:3000/mcp"], 2, /MG3208.*\n.*Did you mean http:\/\/localhost:3000\/mcp\?/],
  [["docs", "node server.mjs"], 2, /MG3208.*\n.*Did you mean "stdio:node server.mjs"\?/],
  [["list", "localhost:3000", "--timeout", "5"], 2, /MG2005.*\n.*Did you mean http:\/\/localhost:3000\?/],
  [["diff", "2025-11-25", join("docs", "rules.md")], 3, /MG1002/],
  [["diff", "2025-11-25", "package.json"], 3, /MG11/],
  [["diff"], 2, /MG2003: expected OLD: revision/],
  [["diff", "2025-11-25"], 2, /MG2003: expected NEW: revision/],
  [["diff", "-", "-"], 2, /MG2005: - can be given once/],
  [["diff", "2025-11-25", "schema"], 3, /MG1001: expected a file, got a folder/],
  [["diff", "2025-11-25", "http://127.0.0.1:1/x.json"], 4, /MG4001: port 1 is one that no web request may/],
  [["explain", "meta-key-requird"], 2, /MG2006: there is no code or rule "meta-key-requird"/],
  [["explain", "property-remved"], 2, /MG2006.*\n.*Did you mean property-removed\?/],
  [["diff", "2025-11-25", "2026-07-28", "--fail-on", "braking"], 2, /MG2004.*\n.*Did you mean breaking/],
])("%s ends with %i", async (args, exit, message) => {
  const { code, stderr } = await mcpgen(".", args);
  expect(code).toBe(exit);
  expect(stderr).toMatch(message);
});

test("a line end in a name does not begin a line of the report", async () => {
  const named = breaking.replaceAll('"lang"', '"la\\n::error::ng"');
  const { stdout } = await run(temporaryFolder({ ...files, "named.json": named }), "named.json", "--verbose");
  expect(stdout).toContain("EchoParams.la\\u000a::error::ng");
  expect(stdout).not.toMatch(/^::error/m);
});

test("help lists every choice once", async () => {
  const { stdout } = await mcpgen(".", ["diff", "--help"]);
  const choices = /choices: ("text"[^\]]*)\]/.exec(stdout)![1]!.replace(/\s+/g, " ").split(", ");
  expect(choices.sort()).toEqual(
    ["github", "html", "json", "junit", "markdown", "sarif", "text"].map((each) => `"${each}"`),
  );
});

test("an unknown rule name is explained at the place that names it", async () => {
  const { code, stdout } = await mcpgen(".", ["explain", "meta-key-required"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("property-became-required")]);
});
