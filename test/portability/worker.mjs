import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Running } from "./processes.mjs";
import { workerd } from "./runtimes.mjs";

const programs = fileURLToPath(new URL("programs/", import.meta.url));

/**
 * Bundles worker.mjs as tools for workers do, and starts it.
 *
 * @throws {Error} the bundle imports a module of Node
 */
export async function startWorker(parent) {
  const folder = join(parent, "worker");
  await mkdir(folder);
  await copyFile(join(programs, "worker.capnp"), join(folder, "worker.capnp"));
  const outfile = join(folder, "worker.js");
  await build({
    entryPoints: [join(programs, "worker.mjs")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    conditions: ["workerd"],
    external: ["node:*"],
    logLevel: "error",
  });
  const asked = /["']node:[\w/]+["']/.exec(await readFile(outfile, "utf8"));
  if (asked) throw new Error(`what is meant for workers asks for ${asked[0]}`);
  const running = new Running([workerd, "serve", "worker.capnp", "--control-fd=3"], parent, folder);
  const { port } = JSON.parse(await running.line(running.control));
  return { origin: `http://127.0.0.1:${port}`, stop: () => running.stop() };
}
