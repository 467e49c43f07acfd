// The way of a client's author, with published servers: capture, generate, type-check, call every tool.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { compile, mcpgen, projectFolder, sourceOf, writeCalls } from "./real/project.mjs";
import { sampler } from "./real/sample.mjs";
import { fillFolder, publishedServers, standIn } from "./real/servers.mjs";
import { hang as timeout } from "../support/until.mjs";

const { folder, remove } = await projectFolder();
const service = await standIn();
const servers = publishedServers(join(folder, "files"), service.url);
const contractOf = (name) => `${name}.contract.json`;
let compiled;

before(async () => {
  await fillFolder(join(folder, "files"));
  const captures = servers.map((server) => capture(server, contractOf(server.name)));
  await Promise.all(captures);
  const contracts = servers.map(({ name }) => ({ file: contractOf(name), out: `out/${name}`, role: "both" }));
  await writeFile(join(folder, "mcpgen.config.json"), JSON.stringify({ contracts }));
  for (const command of ["generate", "check"]) {
    const { code, stdout, stderr } = await mcpgen(folder, command);
    assert.equal(code, 0, stdout + stderr);
  }
  const sample = await sampler();
  for (const server of servers) {
    const { name, given } = server;
    const contract = JSON.parse(await readFile(join(folder, contractOf(name)), "utf8"));
    await writeCalls(join(folder, "out", name), contract, server, ({ name: tool, inputSchema }) =>
      given[tool] ? [given[tool]] : [sample(inputSchema), sample(inputSchema, tool)],
    );
  }
  compiled = await compile(folder);
});
after(async () => {
  service.close();
  await remove();
});

async function capture(server, file) {
  const { code, stderr } = await mcpgen(folder, "capture", ...sourceOf(server), "--out", file);
  assert.equal(code, 0, stderr);
}

test("the generated clients and servers and every call type-check", () => {
  assert.equal(compiled.stdout, "");
  assert.equal(compiled.code, 0, compiled.stderr);
});

describe("published servers", { concurrency: 2 }, () => {
  for (const server of servers) {
    const { name, fails, lints } = server;
    const contract = contractOf(name);

    test(`${name} is captured the same again, and has not drifted`, { timeout }, async () => {
      const again = `${name}.again.json`;
      await capture(server, again);
      assert.equal(
        await readFile(join(folder, again), "utf8"),
        await readFile(join(folder, contract), "utf8"),
      );
      const [source, ...options] = sourceOf(server);
      const checked = await mcpgen(
        folder,
        "check",
        "--server",
        source,
        "--contract",
        contract,
        ...options,
        "--json",
      );
      assert.deepEqual(JSON.parse(checked.stdout).findings, []);
      assert.equal(checked.code, 0);
      const diff = await mcpgen(folder, "diff", contract, again, "--fail-on", "any", "--json");
      assert.deepEqual(JSON.parse(diff.stdout).findings, []);
      assert.equal(diff.code, 0);
    });

    test(`${name} is linted, each finding with its rule and place`, { timeout }, async () => {
      const { code, stdout } = await mcpgen(folder, "lint", contract, "--json");
      const { problems } = JSON.parse(stdout);
      assert.equal(code, problems.some(({ level }) => level === "error") ? 1 : 0);
      assert.deepEqual([...new Set(problems.map(({ rule }) => rule))].sort(), lints);
      const text = JSON.parse(await readFile(join(folder, contract), "utf8"));
      for (const { pointer } of problems) assert.notEqual(at(text, pointer), undefined, pointer);
    });

    test(`${name} answers every call of the typed client`, { timeout }, async () => {
      const file = pathToFileURL(join(folder, "js/out", name, "calls.js"));
      const { callsOf } = await import(file);
      const client = await open(server);
      try {
        const { tools, others } = callsOf(client);
        assert.notEqual(Object.keys(tools).length, 0);
        const failed = {};
        for (const [tool, calls] of Object.entries(tools))
          for (const call of calls) {
            const { isError, content } = await answered(tool, call);
            if (isError) failed[tool] = content[0].text;
          }
        assert.deepEqual(Object.keys(failed), fails, JSON.stringify(failed));
        for (const call of others) await answered(String(call), call);
      } finally {
        await client.close();
      }
    });
  }
});

function open({ args, env }) {
  return connect(
    { command: process.execPath, args, env, stderr: () => {} },
    {
      revisions: clientRevisions,
      elicit: { form: () => ({ action: "decline" }), url: () => ({ action: "decline" }) },
      sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "a text" } }),
      roots: [],
    },
  );
}

async function answered(name, call) {
  try {
    return await call();
  } catch (cause) {
    throw new Error(`${name}: ${cause.message}`, { cause });
  }
}

function at(value, pointer) {
  const steps = pointer.split("/").slice(1);
  return steps.reduce((inner, step) => inner?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], value);
}
