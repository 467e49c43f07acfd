// Published servers: the output of their captures compiles, has the same verdicts as ajv, types that agree with the
// verdicts, and correct findings of `diff`.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { compile, mcpgen, projectFolder } from "../interop/real/project.mjs";
import { described } from "../interop/real/sample.mjs";
import { cases, seed } from "../support/cases.mjs";
import { hang as timeout } from "../support/until.mjs";
import { bundled } from "./bundled.mjs";
import { captured, publishedServers } from "./servers.mjs";

const { folder, remove } = await projectFolder();
const servers = publishedServers(join(folder, "home"));
const { gauntlet } = await bundled("gauntlet.ts");
const { changedValues, validValues, wrongTypes } = await bundled("values.ts");
const { verdictOf } = await bundled("verdict.ts");
const contracts = new Map();
let compiled;

const contractFile = (name) => `${name}.contract.json`;

before(async () => {
  await mkdir(join(folder, "home"), { recursive: true });
  const pending = [...servers];
  // Two at a time: each is a server and a client.
  const worker = async () => {
    for (let server = pending.shift(); server; server = pending.shift()) {
      const { name } = server;
      const { contract } = await captured(folder, server);
      await writeFile(join(folder, contractFile(name)), JSON.stringify(contract));
      contracts.set(name, contract);
    }
  };
  await Promise.all([worker(), worker()]);
  const entries = servers.map(({ name }) => ({ file: contractFile(name), out: `out/${name}`, role: "both" }));
  await writeFile(join(folder, "mcpgen.config.json"), JSON.stringify({ contracts: entries }));
  for (const command of ["generate", "check"]) {
    const { code, stdout, stderr } = await mcpgen(folder, command);
    assert.equal(code, 0, stdout + stderr);
  }
  for (const { name } of servers) await writeLiterals(name);
  compiled = await compile(folder);
});
after(remove);

/** The check of each judged part of a server, by the name of its type, with its schema. */
async function partsOf(name) {
  const text = await readFile(join(folder, "out", name, "checks.ts"), "utf8");
  const found = text.matchAll(
    /^export const check(\w+): Check =[^;]*?schemaOf\(\s*("(?:[^"\\]|\\.)*"),\s*"(\w+)"/gm,
  );
  return [...found].map(([, type, tool, part]) => {
    const { [part]: schema } = contracts.get(name).tools.find((each) => each.name === JSON.parse(tool));
    return { type, tool: JSON.parse(tool), schema };
  });
}

/** A file of values of each type: valid ones, and ones of a wrong type that must not compile. */
async function writeLiterals(name) {
  const lines = [];
  for (const { type, schema } of await partsOf(name)) {
    const values = validValues(described(schema), 3, `${name} ${type} ${seed}`);
    for (const value of values) lines.push(`take<types.${typeOf(type)}>(${literal(value)});`);
    const takes = verdictOf(schema);
    for (const wrong of wrongTypes(schema, values[0]).filter((value) => !takes(value)))
      lines.push("// @ts-expect-error of a wrong type", `take<types.${typeOf(type)}>(${literal(wrong)});`);
  }
  const head = `import type * as types from "./types.js";\n\nconst take = <T>(value: T): T => value;\n`;
  await writeFile(join(folder, "out", name, "literals.ts"), head + lines.join("\n"));
}

/** The type that a check validates, in the namespace of its tool. */
function typeOf(name) {
  return name.replace(/(?=(?:Arguments|Result)$)/, ".");
}

/** JSON as TypeScript: `__proto__` needs brackets to be a member. */
function literal(value) {
  return JSON.stringify(value).replaceAll('"__proto__":', '["__proto__"]:');
}

test("clients, servers and sampled values of all published servers type-check", () => {
  assert.equal(compiled.stdout, "");
  assert.equal(compiled.code, 0, compiled.stderr);
});

test("there are 30 published servers, each with tools", () => {
  assert.equal(servers.length, 30);
  for (const { name } of servers) assert.ok(contracts.get(name).tools.length > 0, name);
});

describe("published servers", { concurrency: 1 }, () => {
  for (const { name } of servers) {
    test(`${name}: values get the same verdicts as from ajv`, { timeout }, async () => {
      const validators = await import(
        pathToFileURL(join(folder, "js/out", name, "checks/schemas/validators.js"))
      );
      let judged = 0;
      for (const { type, schema } of await partsOf(name)) {
        const takes = verdictOf(schema);
        const valid = validValues(schema, cases(40, 5), `${name} ${type} ${seed}`);
        for (const value of valid.flatMap((each) => [
          each,
          ...changedValues(schema, each, `${type} ${seed}`),
        ])) {
          judged++;
          const text = JSON.stringify(value);
          assert.equal(validators[`is${type}`](value), takes(value), `${type}: ${text}`);
        }
      }
      assert.ok(judged > 0);
    });

    test(`${name} is linted and documented`, { timeout }, async () => {
      const file = contractFile(name);
      const linted = await mcpgen(folder, "lint", file, "--json");
      const { problems } = JSON.parse(linted.stdout);
      assert.equal(linted.code, problems.some(({ level }) => level === "error") ? 1 : 0, linted.stderr);
      for (const format of ["html", "markdown"]) {
        const { code, stdout, stderr } = await mcpgen(folder, "docs", file, "--format", format);
        assert.equal(code, 0, stderr);
        for (const tool of contracts.get(name).tools) assert.ok(stdout.includes(tool.name), tool.name);
      }
    });

    test(`${name}: findings and ajv agree about breaking changes`, { timeout }, () => {
      const { trials, shown, faults } = gauntlet(contracts.get(name), cases(200, 10), String(seed));
      assert.deepEqual(faults, []);
      assert.ok(shown > trials / 10, `${shown} of ${trials} changes shown`);
    });
  }
});
