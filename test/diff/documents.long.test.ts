import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { pairs } from "./models.js";
import { files, run } from "./small-files.js";

const text = { type: "object", properties: { text: { type: "string", minLength: 1 } }, required: ["text"] };

/** The requirements of SARIF 2.1.0 on the printed parts (OASIS, sections 3.13, 3.14, 3.27, 3.49). */
const sarif = new Ajv2020({ strict: false }).compile({
  type: "object",
  required: ["$schema", "version", "runs"],
  properties: {
    $schema: { type: "string" },
    version: { const: "2.1.0" },
    runs: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["tool", "results"],
        properties: {
          tool: {
            type: "object",
            required: ["driver"],
            properties: { driver: { type: "object", required: ["name", "rules"] } },
          },
          results: {
            type: "array",
            items: {
              type: "object",
              required: ["ruleId", "ruleIndex", "level", "message"],
              properties: {
                level: { enum: ["error", "warning", "note"] },
                message: text,
                locations: {
                  type: "array",
                  items: {
                    type: "object",
                    required: ["physicalLocation"],
                    properties: {
                      physicalLocation: {
                        type: "object",
                        required: ["artifactLocation", "region"],
                        properties: {
                          artifactLocation: {
                            type: "object",
                            properties: { uri: { type: "string", pattern: "^[^\\s\\\\]+$" } },
                          },
                          region: {
                            type: "object",
                            properties: { startLine: { type: "integer", minimum: 1 } },
                          },
                        },
                      },
                    },
                  },
                },
                baselineState: { enum: ["new", "unchanged", "updated", "absent"] },
                suppressions: {
                  type: "array",
                  items: {
                    type: "object",
                    required: ["kind"],
                    properties: { kind: { enum: ["external", "inSource"] } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
});

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly suppressions?: readonly { readonly justification: string }[];
      readonly partialFingerprints: object;
    }[];
  }[];
}

test.each(pairs)("%s → %s as SARIF: results point at their rules", async (from, to) => {
  const { stdout } = await mcpgen(".", ["diff", from, to, "--format", "sarif"]);
  const log = JSON.parse(stdout) as Sarif;
  expect(sarif(log), JSON.stringify(sarif.errors)).toBe(true);
  const [{ tool, results }] = log.runs as [Sarif["runs"][0]];
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
  const report = await mcpgen(".", ["diff", from, to, "--json"]);
  const { summary } = JSON.parse(report.stdout) as { summary: Record<string, number> };
  const count = (level: string): number => results.filter((result) => result.level === level).length;
  expect([count("error"), count("warning"), count("note")]).toEqual([
    summary["breaking"],
    summary["dangerous"],
    summary["safe"],
  ]);
});

/** `files` with an approval of the breaking changes. */
async function approvedFiles(): Promise<Record<string, string>> {
  const { stdout } = await run(temporaryFolder(files), "breaking.json");
  const line = /^ {2}(\{"fingerprint".*\})$/m.exec(stdout)![1]!.replace('"…"', '"meant"');
  const approvals = JSON.stringify({
    format: 1,
    approvals: [{ ...(JSON.parse(line) as object), reason: "meant", by: "me", until: "2999-12-31" }],
  });
  return { ...files, "mcp-approvals.json": approvals };
}

test("an approved finding is suppressed in SARIF and skipped in JUnit", async () => {
  const folder = temporaryFolder(await approvedFiles());
  const log = JSON.parse((await run(folder, "breaking.json", "--format", "sarif")).stdout) as Sarif;
  expect(log.runs[0]!.results[0]!.suppressions).toEqual([{ kind: "external", justification: "meant" }]);
  const { stdout, code } = await run(folder, "breaking.json", "--format", "junit");
  expect(stdout).toContain('<skipped message="meant"/>');
  expect(code).toBe(0);
});

test("the JUnit report has a case for each finding, and a failure for each that fails", async () => {
  const { stdout, code } = await run(temporaryFolder(files), "breaking.json", "--format", "junit");
  expect(stdout).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="mcpgen diff old.json → breaking.json" tests="1" failures="1">
      <testsuite name="mcpgen diff old.json → breaking.json" tests="1" failures="1" errors="0" skipped="0">
        <testcase classname="property-added-required" name="EchoParams.lang" file="breaking.json" line="26"><failure type="breaking" message="An old writer omits it.">(absent) → string | Write the property in every message that contains the object. | {&quot;jsonrpc&quot;:&quot;2.0&quot;,&quot;id&quot;:1,&quot;method&quot;:&quot;echo&quot;,&quot;params&quot;:{&quot;text&quot;:&quot;text&quot;}}</failure></testcase>
      </testsuite>
    </testsuites>
    "
  `);
  expect(code).toBe(1);
});

/** Returns the names of elements that are open at the end. Fails at an end tag without a start tag. */
function openElements(xml: string): string[] {
  const open: string[] = [];
  for (const [, end, name, empty] of xml.matchAll(/<(\/?)([a-z]+)(?: [a-z]+="[^"<>]*")*(\/?)>/g)) {
    if (end) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name!);
  }
  return open;
}

test.each(pairs)("%s → %s as JUnit is well-formed, with correct counts", async (from, to) => {
  const { stdout } = await mcpgen(".", ["diff", from, to, "--format", "junit", "--fail-on", "dangerous"]);
  const xml = stdout.slice(stdout.indexOf("?>") + 2);
  expect(openElements(xml)).toEqual([]);
  // Nothing but elements has angle brackets, and nothing but entities ampersands.
  expect(xml.replace(/<(\/?)([a-z]+)(?: [a-z]+="[^"<>]*")*(\/?)>/g, "")).not.toMatch(/[<>]/);
  expect(xml).not.toMatch(/&(?!(?:amp|lt|gt|quot|#10);)/);
  const [, tests, failures] = /tests="(\d+)" failures="(\d+)"/.exec(xml)!;
  expect(xml.match(/<testcase /g)).toHaveLength(Number(tests));
  expect(xml.match(/<failure /g)).toHaveLength(Number(failures));
});

test("no differences are one case that passes", async () => {
  const { stdout } = await run(temporaryFolder(files), "old.json", "--format", "junit");
  expect(stdout).toContain('<testcase classname="diff" name="no differences"/>');
});
