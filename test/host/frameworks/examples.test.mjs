// The examples of frameworks, with one protected server and a scripted model.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { fakeModel } from "../../../dist/generator/hosts.js";
import { hang as timeout } from "../../support/until.mjs";
import { node, readJson } from "./shared/matrix.mjs";
import { TestedServer } from "./shared/server.mjs";
import { find } from "./shared/session.mjs";
import { tools } from "./shared/tools.mjs";

const here = new URL(".", import.meta.url);
const root = fileURLToPath(new URL("../../../", here));
const examples = join(root, "examples/hosts");
const names = ["ai-sdk", "claude-agent", "genkit", "langchain", "mastra", "openai-agents"];

/** The tools that the model calls: unicode, a recursive argument, a failure. */
const called = new Set(["echo", "tree", "fail"]);

test("the examples compile", { timeout }, (t) => {
  const cache = fileURLToPath(new URL("node_modules/.cache", here));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "examples-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of [...names, "start"]) cpSync(join(examples, `${name}.ts`), join(folder, `${name}.ts`));
  // As users have our packages: built.
  const compilerOptions = {
    ...{ skipLibCheck: true, customConditions: [] },
    paths: { "mcpgen/hosts": [join(root, "dist/generator/hosts.d.ts")] },
  };
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  assert.deepEqual([status, stdout], [0, ""]);
});

test("the examples name the tested versions", () => {
  const read = (path) => readJson(`${path}/package.json`);
  const tested = Object.assign({}, ...names.map((name) => read(name).dependencies));
  for (const path of ["../../..", "../../../generated", "../../../runtime/core"]) {
    const { name, version } = read(path);
    tested[name] = version;
  }
  const { dependencies, devDependencies } = read("../../../examples/hosts");
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
    assert.equal(version, tested[name], name);
});

describe("an example", { concurrency: 2 }, () => {
  let server;
  let target;
  let direct;
  before(async () => {
    server = new TestedServer("ours", "bearer");
    target = await server.target();
    direct = await connect(target.url, { revisions: clientRevisions, http: { headers: target.headers } });
  });
  after(async () => {
    await direct.close();
    await server.close();
  });

  for (const name of names)
    test(`${name}: the model gets the results of direct calls`, { timeout }, async (t) => {
      const wanted = tools.filter((tool) => called.has(tool.name));
      const script = wanted.map(({ name, example }) => ({ tool: name, arguments: example }));
      const model = await fakeModel({ script, find, text: "that is all" });
      t.after(() => model.close());
      const MCP_TOKEN = target.headers.authorization.replace("Bearer ", "");
      const { code, said } = await run(name, [`${name}.ts`], {
        MCP_URL: target.url,
        MCP_TOKEN,
        MODEL_URL: model.url,
      });
      assert.equal(code, 0, said);
      assert.match(said, /that is all/);
      for (const { name: tool } of tools)
        assert.ok(find(tool, namesIn(said)), `${tool} is not listed: ${said}`);
      const results = model.turns.flatMap((turn) => turn.results);
      assert.deepEqual(
        results.map(({ step }) => step),
        [...script.keys()],
      );
      for (const { content, step } of results) {
        const { content: blocks } = await direct.callTool(script[step].tool, script[step].arguments);
        for (const { text } of blocks)
          assert.ok(JSON.stringify(content).includes(text), JSON.stringify(content));
      }
    });

  test("starts with a server and a model by one command", { timeout }, async () => {
    const { code, said } = await run("ai-sdk", ["start.ts", "ai-sdk"]);
    assert.equal(code, 0, said);
    assert.match(said, /The model got: .*sunny in Rome/);
  });
});

/** The names that an example printed. */
function namesIn(said) {
  return [...said.matchAll(/'([^']+)'/g)].map(([, name]) => ({ name }));
}

/** Runs an example in its place, with the packages of a framework's folder. */
async function run(framework, [file, ...args], env = {}) {
  const folder = mkdtempSync(join(fileURLToPath(here), "node_modules/.cache/home-"));
  const resolve = new URL("shared/resolve.mjs", here).href;
  const child = spawn(node, [join(examples, file), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, ...env },
      FRAMEWORKS_FOLDER: new URL(`${framework}/`, here).href,
      NODE_OPTIONS: `--import ${resolve}`,
    },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  const code = await new Promise((resolve) => child.once("close", resolve));
  rmSync(folder, { recursive: true, force: true });
  return { code, said };
}
