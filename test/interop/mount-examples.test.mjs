// The example applications as separate packages, with their dependencies installed.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { build } from "esbuild";
import { textOf } from "./behaviours.mjs";
import { legacy, modern } from "./peers.mjs";
import { hang as timeout } from "../support/until.mjs";

const names = ["express", "fastify", "hono"];
const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");

/** Copies of the examples where the packages they need are found. */
let folder;
before(async () => {
  const cache = join(here, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "mounts-"));
  for (const name of names)
    await copyFile(join(root, "examples", name, "main.ts"), join(folder, `${name}.ts`));
});
after(() => rm(folder, { recursive: true, force: true }));

test("the examples compile", { timeout }, async () => {
  // As users have our packages: built.
  const compilerOptions = { skipLibCheck: true, customConditions: [] };
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ ...config, include: ["*.ts"] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  assert.deepEqual([status, stdout], [0, ""]);
});

test("the examples name the tested versions", { timeout }, async () => {
  const read = async (path) => JSON.parse(await readFile(join(root, path, "package.json"), "utf8"));
  const tested = { ...(await read("test/interop")).dependencies };
  for (const { name, version } of [await read("generated"), await read("runtime/core")])
    tested[name] = version;
  for (const each of names) {
    const { dependencies, devDependencies } = await read(`examples/${each}`);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.equal(version, tested[name], `${each}: ${name}`);
  }
});

for (const name of names)
  describe(name, () => {
    let program;
    before(async () => {
      const outdir = join(folder, "dist");
      const format = { bundle: true, format: "esm", packages: "external", platform: "node" };
      await build({ ...format, entryPoints: [join(folder, `${name}.ts`)], outdir, logLevel: "error" });
      program = join(outdir, `${name}.js`);
    });

    for (const revision of [legacy.at(-1), modern])
      test(`serves at ${revision}, and ends on SIGTERM`, { timeout }, async (t) => {
        const child = spawn(process.execPath, [program, "0"], { stdio: ["ignore", "inherit", "pipe"] });
        t.after(() => child.kill("SIGKILL"));
        const ended = new Promise((resolve) => child.on("exit", (...how) => resolve(how)));
        const url = `http://127.0.0.1:${await portOf(child)}/api/mcp`;
        assert.match(await (await fetch(new URL("/", url))).text(), /^an application of /);
        const revisions = clientRevisions.filter(({ id }) => id === revision);
        const client = await connect(url, { revisions, http: { reconnects: 0 } });
        t.after(() => client.close());
        const seen = [];
        const onProgress = ({ progress }) => seen.push(progress);
        const result = await client.callTool("count", { to: 3 }, { onProgress });
        assert.deepEqual([seen, textOf(result)], [[1, 2, 3], "counted to 3"]);
        await client.subscribe({ tools: true });
        child.kill("SIGTERM");
        assert.deepEqual(await ended, [0, null]);
      });
  });

async function portOf(child) {
  for await (const line of createInterface(child.stderr)) {
    const port = /^listening on .*?(\d+)$/.exec(line)?.[1];
    if (port) return port;
  }
  throw new Error("it ended before it listened");
}
