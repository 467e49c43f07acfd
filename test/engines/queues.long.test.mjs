// The examples whose tasks run on workers of a queue: separate packages, compiled and run.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import {
  getTask,
  tasks as tasksExtension,
  updateTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { connect } from "@mcpgen/runtime";
import { build } from "esbuild";
import { engines } from "./engines.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");

/** By example: its engine, the variable that has its address, and the command that prepares the database. */
const examples = {
  bullmq: { engine: "redis", variables: (address) => ({ REDIS: address }) },
  dbos: {
    engine: "postgres",
    variables: (address) => ({
      POSTGRES: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(address)}`,
    }),
    // As `npx dbos schema`: tables that otherwise the first worker makes.
    prepare: ({ POSTGRES }) => [
      join(here, "node_modules/@dbos-inc/dbos-sdk/dist/src/cli/cli.js"),
      ...["schema", POSTGRES],
    ],
  },
};
const names = Object.keys(examples);

/** Copies of the examples where the packages they need are found. */
let folder;
before(async () => {
  const cache = join(here, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "queues-"));
  for (const name of names) await cp(join(root, "examples", name), join(folder, name), { recursive: true });
});
after(() => rm(folder, { recursive: true, force: true }));

test("the examples compile", async () => {
  // As users have our packages: built.
  const compilerOptions = { skipLibCheck: true, customConditions: [], lib: ["ES2023", "ESNext.Disposable"] };
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ ...config, include: ["*/*.ts"] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  assert.deepEqual([status, stdout], [0, ""]);
});

test("the examples name the tested versions", async () => {
  const read = async (path) => JSON.parse(await readFile(join(root, path, "package.json"), "utf8"));
  const tested = { ...(await read("test/engines")).dependencies };
  const own = ["generated", "runtime/core", "runtime/tasks", "runtime/redis", "runtime/postgres"];
  for (const { name, version } of await Promise.all(own.map(read))) tested[name] = version;
  for (const each of names) {
    const { dependencies, devDependencies } = await read(`examples/${each}`);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.equal(version, tested[name], `${each}: ${name}`);
  }
});

test("their adapters have at most 60 lines, and their tools are the same", async () => {
  const read = (name, file) => readFile(join(root, "examples", name, file), "utf8");
  for (const name of names) assert.ok((await read(name, "executor.ts")).split("\n").length <= 61, name);
  const [first, ...others] = await Promise.all(names.map((name) => read(name, "report.ts")));
  for (const other of others) assert.equal(other, first);
});

for (const name of names) {
  const { engine, variables, prepare } = examples[name];
  const { missing, start } = engines[engine];
  describe(name, { skip: missing }, () => {
    let program;
    before(async () => {
      const outdir = join(folder, name, "dist");
      const format = { bundle: true, format: "esm", packages: "external", platform: "node" };
      await build({ ...format, entryPoints: [join(folder, name, "main.ts")], outdir, logLevel: "error" });
      program = join(outdir, "main.js");
    });

    test("a server creates a task, and workers finish it although one is killed", async (t) => {
      const { address, stop } = await start();
      const ends = [stop];
      if (prepare) {
        const prepared = spawnSync(process.execPath, prepare(variables(address)), { encoding: "utf8" });
        assert.equal(prepared.status, 0, prepared.stderr);
      }
      t.after(async () => {
        for (const end of ends.reverse()) await end();
      });
      /** Starts a process, and waits for its first line, or for the line that begins so. */
      const started = async (role, lineOf = () => true) => {
        const env = { ...process.env, ...variables(address), PORT: "0", LEASE_MS: "2000" };
        const child = spawn(process.execPath, [program, role], { env, stdio: ["ignore", "pipe", "inherit"] });
        const ended = once(child, "exit");
        ends.push(async () => {
          child.kill("SIGKILL");
          await ended;
        });
        const lines = createInterface(child.stdout);
        const line = await new Promise((resolve, reject) => {
          lines.on("line", (text) => lineOf(text) && resolve(text));
          void ended.then(() => reject(new Error(`the ${role} ended before it was ready`)));
        });
        return { child, ended, line };
      };
      const server = await started("server", (text) => text.startsWith("http"));
      const client = await connect(server.line, {
        revisions: clientRevisions,
        extensions: [tasksExtension],
        elicit: () => ({ action: "cancel" }),
      });
      ends.push(() => client.close());
      const pages = 20;
      const { taskId } = await client.request("tools/call", { name: "report", arguments: { pages } });
      /** The task, once `isReached`. */
      const until = async (isReached) => {
        for (;;) {
          const task = await getTask(client, { taskId });
          if (isReached(task)) return task;
          await sleep(200);
        }
      };

      const first = await started("worker", (text) => text === "ready");
      await until(({ statusMessage }) => Number(/^page (\d+)/.exec(statusMessage)?.[1]) >= 3);
      first.child.kill("SIGKILL");
      await first.ended;
      const second = await started("worker", (text) => text === "ready");
      const { inputRequests } = await until(({ status }) => status !== "working");
      assert.deepEqual(Object.keys(inputRequests), ["approval"]);
      await updateTask(client, { taskId, inputResponses: { approval: { action: "accept", content: {} } } });
      const { result } = await until(({ status }) => !["working", "input_required"].includes(status));

      const [drawn, end] = result.content[0].text.split(": ");
      assert.equal(end, "printed");
      const by = drawn.split(", ").map((page) => Number(page.split(" ").at(-1)));
      assert.equal(by.length, pages);
      const before = by.lastIndexOf(first.child.pid) + 1;
      assert.ok(before >= 2, `the first worker drew ${before} pages`);
      assert.ok(by.every((pid, index) => pid === (index < before ? first : second).child.pid));
      second.child.kill("SIGTERM");
      assert.deepEqual(await second.ended, [0, null]);
    });
  });
}
