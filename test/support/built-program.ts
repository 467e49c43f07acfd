import { readFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";

let built = 0;

/**
 * Bundles a program from source for the tests of one file. Returns its path. Call it while tests are being collected.
 *
 * @param source the main module, such as `examples/echo/main.ts`
 */
export function builtProgram(source: string, more: BuildOptions = {}): string {
  // Inside the project, so that packages are found.
  const folder = resolve(`node_modules/.cache/mcpgen-test-program-${process.pid}-${++built}`);
  const name = basename(source, ".ts");
  beforeAll(async () => {
    await build({
      entryPoints: { [name]: source },
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20.19",
      conditions: ["mcpgen-source"],
      external: ["node-sqlite3-wasm", "ws", "yaml"],
      logLevel: "error",
      ...more,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, `${name}.mjs`);
}

/** Bundles the command line, next to its packages. Returns its path. */
export function builtCli(): string {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    dependencies: Record<string, string>;
  };
  const external = Object.keys(dependencies).filter((name) => !name.startsWith("@mcpgen/"));
  return builtProgram("generator/cli.ts", {
    splitting: true,
    external: external.flatMap((name) => [name, `${name}/*`]),
  });
}

/** Starts a program in a separate process until the test ends. Returns a client of it. */
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
