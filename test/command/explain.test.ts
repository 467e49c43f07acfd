import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renamed } from "../../generator/diagnostics/renamed.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

test.each([
  ["an error", "MG3102", ["error"], 1, "Exit code 1: findings or drift."],
  ["a warning", "MG6008", ["warning"], 0, "Warning: it does not change the exit code."],
  [
    "an error or a warning",
    "MG6007",
    ["error", "warning"],
    3,
    "Error or warning: an error leads to exit code 3: input cannot be read or is not what it\nshould be. A warning does not change the exit code.",
  ],
])("explain of %s states its effect on the exit code", async (_, code, severities, exitCode, effect) => {
  const folder = temporaryFolder();
  expect((await mcpgen(folder, ["explain", code])).stdout.trimEnd().split("\n\n").at(-1)).toBe(effect);
  const document: unknown = JSON.parse((await mcpgen(folder, ["explain", code, "--json"])).stdout);
  expect(document).toMatchObject({ code, severities, exitCode });
});

test("explain knows a rule of extensions by its name", async () => {
  const folder = temporaryFolder();
  const named = await mcpgen(folder, ["explain", "extension-breaking-same-id"]);
  expect(named.stdout).toContain("MG1311: A breaking change of an extension keeps its id");
});

test("explain knows a kind of note by its name", async () => {
  const folder = temporaryFolder();
  const explained = await mcpgen(folder, ["explain", "deprecated"]);
  expect(explained.stdout).toMatch(
    /^deprecated: .*\nFields beside those of every note: since, \[instead\]\.\n$/s,
  );
  const document: unknown = JSON.parse(
    (await mcpgen(folder, ["explain", "multiroundtrip", "--json"])).stdout,
  );
  expect(document).toMatchObject({ kind: "multiRoundTrip", fields: [] });
  expect((await mcpgen(folder, ["explain", "deprecate"])).stderr).toContain("Did you mean deprecated?");
});

test("explain names the replacement of a moved entry", async () => {
  const folder = temporaryFolder();
  const entry = "@mcpgen/runtime/otel";
  expect((await mcpgen(folder, ["explain", entry])).stdout).toBe(
    `${entry} no longer exists. In its place: @mcpgen/observe/otel.\n`,
  );
  expect(JSON.parse((await mcpgen(folder, ["explain", entry, "--json"])).stdout)).toMatchObject({
    name: entry,
    now: "@mcpgen/observe/otel",
  });
  const misspelt = await mcpgen(folder, ["explain", "@mcpgen/runtime/cluste"]);
  expect(misspelt.stderr).toContain("@mcpgen/runtime/cluster");
});

/** The exports of the package that an entry names. */
function entriesOf(name: string): { readonly [entry: string]: unknown } {
  const folder = name.split("/")[1]!.replace("runtime", "core");
  const { exports } = JSON.parse(readFileSync(join("runtime", folder, "package.json"), "utf8")) as {
    readonly exports: { readonly [entry: string]: unknown };
  };
  return exports;
}

const suffixOf = (entry: string): string => [".", ...entry.split("/").slice(2)].join("/");

test.each(Object.entries(renamed))(
  "%s was removed, and docs/migration.md names its replacement",
  (name, now) => {
    const rows = readFileSync("docs/migration.md", "utf8")
      .replaceAll("`", "")
      .matchAll(/^\|(.+)\|(.+)\|$/gm);
    const places = [...rows].filter(([, names]) => names!.split(", ").includes(name));
    expect(places.map(([, , today]) => today)).toEqual([now]);
    if (name.startsWith("@")) expect(entriesOf(name)).not.toHaveProperty([suffixOf(name)]);
    if (now.startsWith("@")) expect(entriesOf(now)).toHaveProperty([suffixOf(now)]);
  },
);
