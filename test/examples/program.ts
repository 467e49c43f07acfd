import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, onTestFinished } from "vitest";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";

// Registered while the tests are collected: inside a hook or a test it would never be called.
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A program of ours as one file, bundled from source as the build does it, for the tests of one file. */
export async function bundled(source: string): Promise<string> {
  // Inside the project, so that packages are found.
  const cache = resolve("node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, "mcpgen-test-"));
  folders.push(outdir);
  await build({
    entryPoints: { main: source },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["mcpgen-source"],
    external: ["node-sqlite3-wasm"],
    logLevel: "error",
  });
  return join(outdir, "main.js");
}

/** A client of a program that runs in a process of its own until the test ends. */
export async function clientOf(
  program: string,
  args: readonly string[] = [],
  options: Partial<ConnectOptions> = {},
): Promise<Client> {
  const channel = stdioClientChannel([process.execPath, program, ...args]);
  onTestFinished(() => channel.close());
  const client = await connect(channel, { revisions: clientRevisions, ...options });
  onTestFinished(() => client.close());
  return client;
}
