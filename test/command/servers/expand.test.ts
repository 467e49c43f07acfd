import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expand } from "../../../generator/command/servers/expand.js";
import type { HostFile } from "../../../generator/command/servers/host-files.js";
import { cases, seed } from "../../support/cases.mjs";

type Environment = Readonly<Record<string, string | undefined>>;

function expanded(text: string, expansion: HostFile["expansion"], env: Environment): Promise<string> {
  const kind = { host: "the host", member: "mcpServers", runsHelpers: false, isUsers: false } as const;
  const file = { ...kind, expansion, path: "/project/.mcp.json", folder: "/project" };
  return expand(text, {
    file,
    values: { env, input: async (id) => `[${id}]` },
    place: { file: ".mcp.json" },
  });
}

const plain = fc.stringMatching(/^[a-z ./:-]{0,4}$/);
const set = fc.constantFrom("SET", "EMPTY");
const any = fc.constantFrom("SET", "EMPTY", "UNSET");
/** Texts with variables, whose defaults hold variables. */
const { text } = fc.letrec<{ readonly text: string; readonly reference: string }>((tie) => ({
  text: fc.array(fc.oneof(plain, tie("reference")), { maxLength: 3 }).map((parts) => parts.join("")),
  reference: fc.oneof(
    { depthSize: "small" },
    set.map((name) => `\${${name}}`),
    fc.tuple(any, tie("text")).map(([name, fallback]) => `\${${name}:-${fallback}}`),
  ),
}));
const env = { SET: "value", EMPTY: "" };

test("variables of .mcp.json are replaced in the same way as in a shell", async () => {
  const texts = fc.sample(text, { numRuns: cases(2_000), seed });
  const script = texts.map((each) => `printf '%s\\0' "${each}"`).join("\n");
  const { stdout } = spawnSync("/bin/sh", ["-s"], { input: script, env, encoding: "utf8" });
  const shell = stdout.split("\0").slice(0, -1);
  const ours = await Promise.all(texts.map((each) => expanded(each, "shell", env)));
  expect(ours.map((value, index) => [texts[index], value])).toEqual(
    shell.map((value, index) => [texts[index], value]),
  );
  expect(texts.filter((each) => /:-[^}]*\$\{/.test(each)).length).toBeGreaterThan(10);
});

test.each<[string, string]>([
  ["${UNSET:-}", ""],
  ["a${UNSET:-}b", "ab"],
  ["${UNSET:-a:-b}", "a:-b"],
  ["${SET:-${UNSET}}", "value"],
  ["${UNSET:-${SET}/${UNSET:-x}}", "value/x"],
  ["$SET {SET} ${SET", "$SET {SET} ${SET"],
])("%s of .mcp.json is %j", async (given, expected) => {
  expect(await expanded(given, "shell", env)).toBe(expected);
});

test.each<[string, HostFile["expansion"], RegExp]>([
  ["${UNSET}", "shell", /Set the variable: UNSET=/],
  ["${UNSET:-${UNSET}}", "shell", /Set the variable: UNSET=/],
  ["${}", "shell", /the host supports \$\{NAME\}/],
  ["${SET-x}", "shell", /the host supports/],
  ["${env:UNSET:-x}", "editor", /the host supports \$\{env:NAME\}/],
  ["${env:UNSET:-${env:SET}}", "editor", /the host supports/],
  [`${"${UNSET:-".repeat(30)}x${"}".repeat(30)}`, "shell", /the host supports/],
])("%s has no value", async (given, expansion, next) => {
  await expect(expanded(given, expansion, env)).rejects.toMatchObject({
    code: "MG2203",
    next: expect.stringMatching(next) as string,
  });
});

test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
  "%s is not a set variable",
  async (name) => {
    await expect(expanded(`\${${name}}`, "shell", env)).rejects.toMatchObject({ code: "MG2203" });
    expect(await expanded(`\${${name}:-x}`, "shell", env)).toBe("x");
    await expect(expanded(`\${env:${name}}`, "editor", env)).rejects.toMatchObject({ code: "MG2203" });
  },
);

test("editors replace each reference once; Claude Desktop replaces none", async () => {
  expect(await expanded("${env:SET} ${input:x} ${workspaceFolder}", "editor", env)).toBe(
    "value [x] /project",
  );
  expect(await expanded("${env:NEST}", "editor", { NEST: "${env:SET}" })).toBe("${env:SET}");
  expect(await expanded("${SET}", "none", env)).toBe("${SET}");
});
