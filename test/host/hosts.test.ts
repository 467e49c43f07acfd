import { existsSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { ruleIds } from "../../generator/diff/rules/table.js";
import { type HostName, hostNames } from "../../generator/lint/host-rows.js";
import { hostPrograms } from "../../generator/host/program.js";
import { lintRules } from "../../generator/lint/lint-contract.js";
import { parts } from "../support/hosts/observe.js";
import { differencesOf, effects } from "../support/hosts/row.js";

const json = <T>(file: string): T => JSON.parse(readFileSync(file, "utf8")) as T;
interface Row {
  readonly package: string;
  readonly version: string;
  readonly rules?: object;
  readonly schema?: readonly string[];
  readonly evidence?: string;
}
const rows = json<Record<string, Row>>("generator/host/hosts.json");
const schema = json<object>("generator/host/hosts.schema.json");
const ajv = new Ajv2020({ allErrors: true });
formats.default(ajv);
const judge = ajv.compile(schema);

test("hosts.json fits its schema, which knows each effect", () => {
  expect(judge(rows), JSON.stringify(judge.errors)).toBe(true);
  expect(JSON.stringify(schema)).toContain(`"enum":${JSON.stringify(effects)}`);
});

test("a row for each host that can be started", () => {
  expect(Object.keys(rows)).toEqual(hostNames);
});

describe.each(Object.entries(rows))("%s", (name, row) => {
  test("is what starts the host of this name", () => {
    expect(hostPrograms[name as HostName]).toMatchObject({ name, package: row.package });
  });

  test("differs from a row that lacks what was observed, or has something else", () => {
    const before = { ...row };
    expect(differencesOf(before, row, parts)).toEqual([]);
    const observed = Object.keys(row).filter(
      (member) => !/^(?:title|package|program|node|date|models|evidence|version)$/.test(member),
    );
    expect(observed).toContain("rules");
    for (const member of observed) {
      const { [member as keyof Row]: _, ...less } = row;
      expect(differencesOf(before, less, parts), `without ${member}`).not.toEqual([]);
    }
    expect(differencesOf(before, { ...row, version: "0.0.0" }, parts)).toHaveLength(1);
    const rules = { ...row.rules, "no-description": "drops" };
    expect(differencesOf(before, { ...row, rules }, parts)).toEqual([
      'rules.no-description: undefined, now "drops"',
    ]);
  });

  test("names rules of lint and of diff, and evidence that exists", () => {
    const known = new Set(lintRules.map(({ id }) => id));
    expect(Object.keys(row.rules ?? {}).filter((id) => !known.has(id))).toEqual([]);
    expect((row.schema ?? []).filter((id) => !ruleIds.includes(id))).toEqual([]);
    if (row.evidence === undefined) return;
    expect(existsSync(row.evidence), row.evidence).toBe(true);
    expect(json<{ version: string }>(row.evidence).version).toBe(row.version);
  });
});
