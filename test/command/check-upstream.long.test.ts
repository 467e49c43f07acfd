import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ran, mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema, smallSchemaText } from "../support/small-protocol.js";
import { loopback } from "../support/listen.js";

const text = { type: "string" };

/** The small protocol with another EchoParams. */
const withParams = (more: object): string =>
  JSON.stringify({
    ...smallSchema,
    $defs: {
      ...smallSchema.$defs,
      EchoParams: { type: "object", properties: { text }, required: ["text"], ...more },
    },
  });

const prose = withParams({ description: "What to say." });
const harmless = withParams({ properties: { text, lang: text } });
const harmful = withParams({ properties: { text, lang: text }, required: ["text", "lang"] });

const check = (folder: string, source: string, ...more: string[]): Promise<Ran> =>
  mcpgen(folder, ["check", "--upstream", source, ...more]);

/** A project, and what `check --upstream` says in it of a file that lies at `path`. */
async function verdict(path: string, content: string, ...more: string[]) {
  const folder = await smallProject({ [path]: content });
  const { code, stdout } = await check(folder, path, "--json", ...more);
  const { upstream, rule, mend, findings, diff } = JSON.parse(stdout) as {
    upstream: { verdict: string; revision: string; name?: string; reason: string; onlyProse: boolean };
    rule: string | null;
    mend?: string;
    findings: { code: string; severity: string }[];
    diff?: { summary: object };
  };
  return {
    code,
    ...upstream,
    rule,
    mend,
    diff,
    found: findings.map((each) => `${each.severity} ${each.code}`),
  };
}

test("the imported file counts as unchanged, wherever it lies", async () => {
  expect(await verdict("2031-01-01/schema.json", smallSchemaText)).toMatchObject({
    code: 0,
    verdict: "unchanged",
    revision: "2030-01-01",
    reason: "its sha256 is in the lock",
    found: [],
    rule: null,
  });
});

test.each([
  ["prose", prose],
  ["layout", JSON.stringify(smallSchema, null, 4)],
])("another file that differs only in %s is a warning", async (_, content) => {
  expect(await verdict("new.json", content)).toMatchObject({
    code: 0,
    verdict: "same-revision",
    revision: "2030-01-01",
    onlyProse: true,
    rule: "published-file-changed",
    found: ["warning MG3110"],
    mend: undefined,
  });
});

describe("a file with another schema is drift, with a separate code for each cause", () => {
  test("according to its folder", async () => {
    expect(await verdict("x/2030-01-01/schema.json", harmful)).toMatchObject({
      code: 1,
      verdict: "same-revision",
      reason: "the folder is called 2030-01-01",
      rule: "published-file-changed",
      found: ["error MG3110"],
      mend: "mcpgen upgrade x/2030-01-01/schema.json --name 2030-01-01 --replace",
      diff: { summary: { breaking: 1, dangerous: 0, safe: 1 } },
    });
    expect(await verdict("2031-01-01/schema.json", harmless)).toMatchObject({
      code: 1,
      verdict: "new-revision",
      revision: "2030-01-01",
      name: "2031-01-01",
      rule: null,
      found: ["error MG3111"],
      mend: "mcpgen upgrade 2031-01-01/schema.json --name 2031-01-01",
    });
  });

  test("according to the difference, if the folder does not show the cause", async () => {
    expect(await verdict("new.json", harmless)).toMatchObject({
      code: 1,
      verdict: "same-revision",
      reason:
        "6 of the 7 definitions of 2030-01-01 are in it unchanged, and no client or server would notice the other differences",
      found: ["error MG3110"],
    });
    expect(await verdict("new.json", harmful)).toMatchObject({
      code: 1,
      verdict: "new-revision",
      reason:
        "only 6 of the 7 definitions of 2030-01-01 are in it unchanged, and a client or server would notice the other differences (property-added-required)",
      mend: "mcpgen upgrade new.json --name YYYY-MM-DD",
      found: ["error MG3111"],
    });
  });

  test("according to the user's option, which takes precedence", async () => {
    expect(await verdict("2031-01-01/schema.json", harmful, "--revision", "2030-01-01")).toMatchObject({
      code: 1,
      verdict: "same-revision",
      revision: "2030-01-01",
      reason: "--revision says so",
      found: ["error MG3110"],
    });
  });
});

test("a large protocol with a few breaking corrections still counts as the same revision", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`More${index}`, { type: "object" }]),
  );
  const large = (schema: string): string => {
    const { $defs, ...rest } = JSON.parse(schema) as typeof smallSchema;
    return JSON.stringify({ ...rest, $defs: { ...$defs, ...many } });
  };
  const folder = await smallProject({
    "new.json": large(harmful),
    "2029-01-01/schema.json": large(smallSchemaText),
  });
  await mcpgen(folder, ["revision", "add", "2029-01-01/schema.json"]);
  const { stdout } = await check(folder, "new.json");
  expect(stdout).toContain("another file of 2029-01-01: the schema differs");
  expect(stdout).toContain("46 of the 47 definitions");
});

test("the text lists the differences, and ends with the command that takes them over", async () => {
  const folder = await smallProject({ "2031-01-01/schema.json": harmful });
  const { stdout } = await check(folder, "2031-01-01/schema.json");
  const lines = stdout.trimEnd().split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "2031-01-01/schema.json: error MG3111: a new revision, 2031-01-01; compared with 2030-01-01 (because the folder is called 2031-01-01, which the lock does not know)",
    "  → If the file belongs to a known revision, name that one with --revision.",
  ]);
  expect(stdout).toMatch(/property-added-required.*EchoParams\.lang/);
  expect(lines.at(-1)).toBe("Run: mcpgen upgrade 2031-01-01/schema.json --name 2031-01-01");
});

test("markdown is the body of a pull request", async () => {
  const folder = await smallProject({ "2031-01-01/schema.json": harmful });
  const { stdout, code } = await check(folder, "2031-01-01/schema.json", "--format", "markdown");
  expect(stdout).toMatch(/^A new revision, 2031-01-01; compared with 2030-01-01 /);
  expect(stdout).toContain("## Protocol: 2030-01-01 → 2031-01-01");
  expect(stdout).toContain("| client | property-added-required | `EchoParams.lang` |");
  expect(stdout).toMatch(/To store it: `mcpgen upgrade 2031-01-01\/schema.json --name 2031-01-01`\n$/);
  expect(code).toBe(1);
});

test("annotations refer to lines of the pinned schema", async () => {
  const folder = await smallProject({ "2030-01-01/schema.json": smallSchemaText });
  const url = `${await loopback((_, response) => response.end(withParams({ properties: { text: { type: "integer" } } })))}/2030-01-01/schema.json`;
  const { stdout } = await check(folder, url, "--format", "github");
  const line = Number(
    /::warning file=schema\/2030-01-01\/schema\.json,line=(\d+),title=MG3201/.exec(stdout)?.[1],
  );
  const pinned = readFileSync(join(folder, "schema/2030-01-01/schema.json"), "utf8").split("\n");
  expect(pinned[line - 1]).toContain('"text": {');
  expect(stdout).toContain("::error file=http%3A//127.0.0.1");
});

describe("from a URL", () => {
  test("the same verdict, and nothing is written", async () => {
    const folder = await smallProject();
    const lock = readFileSync(join(folder, "schema/lock.json"), "utf8");
    const url = `${await loopback((_, response) => response.end(harmful))}/schema/2031-01-01/schema.json`;
    const { stdout, code } = await check(folder, url);
    expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([
      1,
      `Run: mcpgen upgrade ${url} --name 2031-01-01`,
    ]);
    expect(readFileSync(join(folder, "schema/lock.json"), "utf8")).toBe(lock);
  });

  test("that answers 500 does not count as drift", async () => {
    const url = await loopback((_, response) => response.writeHead(500).end());
    const { code, stdout, stderr } = await check(await smallProject(), url);
    expect([code, stdout, stderr]).toEqual([4, "", expect.stringContaining("error MG4002")]);
  });
});

test.each([
  [["--full"], "MG2005", 2],
  [["--revision", "2030-01-02"], "MG2010", 2],
] as const)("with %j it is refused", async (more, code, exit) => {
  const folder = await smallProject();
  writeFileSync(join(folder, "new.json"), harmless);
  const ran = await check(folder, "new.json", ...more);
  expect([ran.code, ran.stderr]).toEqual([exit, expect.stringContaining(`error ${code}`)]);
});

test.each([
  ["--revision", "2030-01-01"],
  ["--format", "markdown"],
])("%s is refused without a file to compare with", async (...words) => {
  const { code, stderr } = await mcpgen(await smallProject(), ["check", ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("needs --upstream")]);
});
