import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll } from "vitest";

let installed = 0;

/** A command line that is installed beside other revisions than ours. */
interface Installed {
  /** The program. */
  readonly cli: string;
  /** Main module of the runtime beside it. */
  readonly runtime: string;
  /** Folder of the generated package beside it. */
  readonly protocol: string;
}

/**
 * The command line, bundled from source, with the runtime and a generated package beside it, as npm installs them: it reads the
 * revisions of that package. Call it where tests are collected.
 *
 * @param generate gives the files of the package; a folder for its sources is there
 */
export function installedCli(generate: (folder: string) => Promise<ReadonlyMap<string, string>>): Installed {
  // Inside the project, so that packages of others are found.
  const folder = resolve(`node_modules/.cache/mcpgen-test-installed-${process.pid}-${++installed}`);
  const packages = join(folder, "node_modules/@mcpgen");
  const [protocol, runtime] = [join(packages, "protocol"), join(packages, "runtime")];
  beforeAll(async () => {
    const sources = join(folder, "sources");
    mkdirSync(sources, { recursive: true });
    await writeProtocol(protocol, await generate(sources));
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
      dependencies: Record<string, string>;
    };
    const others = Object.keys(manifest.dependencies).filter((name) => !name.startsWith("@mcpgen/"));
    const common = {
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      target: "node20.19",
      conditions: ["mcpgen-source"],
      logLevel: "error",
    } satisfies BuildOptions;
    const external = [...others, "@mcpgen/protocol", "@opentelemetry"].flatMap((name) => [name, `${name}/*`]);
    await build({ ...common, external, entryPoints: ["generator/cli.ts"], outdir: folder });
    const entries = ["index", "stdio", "http"];
    const entryPoints = entries.map((name) => `runtime/core/${name}.ts`);
    await build({ ...common, external, entryPoints, outdir: runtime });
    writePackage(runtime, "runtime");
    writePackage(folder, "test");
    // The schemas by which files are judged are part of the package.
    cpSync("docs", join(folder, "docs"), {
      recursive: true,
      filter: (path) => path === "docs" || path.endsWith(".schema.json"),
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { cli: join(folder, "cli.js"), runtime: join(runtime, "index.js"), protocol };
}

async function writeProtocol(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const sources = [...files].filter(([path]) => path.endsWith(".ts"));
  for (const [path, content] of sources) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const entryPoints = sources.map(([path]) => join(folder, path));
  await build({ entryPoints, outbase: folder, outdir: folder, format: "esm", logLevel: "error" });
  writePackage(folder, "protocol");
}

function writePackage(folder: string, name: string): void {
  const exports = { ".": "./index.js", "./*": "./*.js" };
  const manifest = { name: `@mcpgen/${name}`, version: "0.0.0", type: "module", exports };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}
