import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";

/** The command line as a program of its own, built from what is being worked on: the path of its file. */
export function builtCli(): string {
  // Below the repository, for its libraries to be found from there.
  const folder = resolve(`node_modules/.cache/mcpgen-test-cli-${process.pid}`);
  beforeAll(async () => {
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
      dependencies: Record<string, string>;
    };
    const external = Object.keys(dependencies).filter((name) => !name.startsWith("@mcpgen/"));
    await build({
      entryPoints: ["generator/cli.ts"],
      outdir: folder,
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      conditions: ["mcpgen-source"],
      external: external.flatMap((name) => [name, `${name}/*`]),
      logLevel: "error",
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "cli.js");
}
