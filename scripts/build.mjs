// Builds every package into its own dist/: engine, generator, where it exists the generated package, and the runtime;
// and the examples into dist/examples/.
// `node scripts/build.mjs [engine] [generator] [generated] [base] [runtime] [testing] [auth] [tasks] [apps] [observe] [cluster] [bridge] [sqlite] [postgres] [redis] [examples]`; without a name, all of them.
import { spawn } from "node:child_process";
import { chmod, copyFile, readFile, readdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { buildPages } from "./pages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = "node20.19";

/** Packages that import the runtime by name, and packages that import these. */
const besides = ["testing", "auth", "tasks", "apps", "observe", "cluster", "bridge"];
const stores = ["sqlite", "postgres", "redis"];
const beside = Object.fromEntries(
  ["base", ...besides, ...stores].map((name) => [name, () => besideRuntime(name)]),
);
const builds = { engine, generator, generated, runtime, ...beside, examples };
const unknown = process.argv.slice(2).find((name) => !(name in builds));
if (unknown !== undefined) {
  console.error(
    `build: there is no package ${JSON.stringify(unknown)}; choose among ${Object.keys(builds).join(", ")}`,
  );
  process.exit(2);
}
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(builds);
try {
  // The declarations of the generator refer to the engine's.
  if (wanted.includes("engine")) await engine();
  const middle = wanted.filter(
    (name) => !["engine", "base", "runtime", ...besides, ...stores].includes(name),
  );
  await Promise.all(middle.map((name) => builds[name]()));
  // The runtime's declarations refer to both the engine's and the generated package's.
  if (wanted.includes("base")) await besideRuntime("base");
  if (wanted.includes("runtime")) await runtime();
  for (const names of [besides, stores])
    await Promise.all(names.filter((name) => wanted.includes(name)).map((name) => builds[name]()));
} catch (error) {
  // esbuild and tsc have printed the error themselves.
  if (!("errors" in error) && error.message !== "tsc failed") console.error(error);
  process.exit(1);
}

async function engine() {
  const outdir = join(root, "engine/dist");
  await rm(outdir, { recursive: true, force: true });
  await Promise.all([
    build({
      ...common(outdir),
      platform: "neutral",
      entryPoints: await entriesOf(join(root, "engine")),
    }),
    declarations("scripts/tsconfig.engine.json"),
  ]);
  await legalTexts(outdir);
}

async function generator() {
  const outdir = join(root, "dist/generator");
  await rm(outdir, { recursive: true, force: true });
  const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const external = Object.keys(dependencies).filter((name) => !name.startsWith("@mcpgen/"));
  await Promise.all([
    build({
      ...common(outdir),
      platform: "node",
      // The engine is part of the compiler; only third-party packages stay outside.
      conditions: ["mcpgen-source"],
      external: external.flatMap((name) => [name, `${name}/*`]),
      // `generator/command/upgrade/try/rehearse.ts` starts this file, the conversations of `upgrade --try`,
      // as a separate program.
      entryPoints: [...(await entriesOf(root)), join(root, "generator/command/upgrade/try/conversations.ts")],
    }),
    declarations("scripts/tsconfig.generator.json"),
    buildPages(join(root, "generator/page/browser"), join(outdir, "browser")),
  ]);
  await chmod(join(outdir, "cli.js"), 0o755);
}

/** Builds the examples from the sources of the packages, so that no other build must come first. */
async function examples() {
  const folder = join(root, "examples");
  const outdir = join(root, "dist/examples");
  await rm(outdir, { recursive: true, force: true });
  // The examples import the generated revisions.
  if (!existsSync(join(root, "generated/index.ts"))) return;
  // A folder with a package.json is a separate package, whose dependencies are not installed here.
  const has = (name, file) => existsSync(join(folder, name, file));
  const names = (await readdir(folder)).filter((name) => has(name, "main.ts") && !has(name, "package.json"));
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  // Each entry is a separate build: chunks that a server shared with a client would contain, and load, the
  // code of both.
  const withPages = names.filter((name) => has(name, "browser"));
  await Promise.all([
    ...names.map((name) =>
      build({
        ...common(join(outdir, name)),
        platform: "node",
        conditions: ["mcpgen-source"],
        external: packages.filter((each) => !each.startsWith("@mcpgen/")),
        entryPoints: [join(folder, name, "main.ts")],
      }),
    ),
    ...withPages.map((name) => buildPages(join(folder, name, "browser"), join(outdir, name, "browser"))),
  ]);
}

/** Builds file by file, so that a program that imports one validator's module bundles only that module. */
async function generated() {
  const folder = join(root, "generated");
  if (!existsSync(folder)) return;
  const paths = await readdir(folder, { recursive: true });
  const sources = paths.filter(
    (path) => path.endsWith(".ts") && !/(^|[\\/])(dist|node_modules)[\\/]/.test(path),
  );
  await rm(join(folder, "dist"), { recursive: true, force: true });
  if (sources.length === 0) return;
  const options = {
    outbase: folder,
    outdir: join(folder, "dist"),
    // For the platform "browser", esbuild would replace `process.env.NODE_ENV`, whose value the program
    // decides.
    platform: "neutral",
    format: "esm",
    target,
    logLevel: "warning",
  };
  const written = declarations("scripts/tsconfig.generated.json");
  await build({ ...options, entryPoints: sources.map((path) => join(folder, path)) });
  // A program that runs all revisions of a role loads one small file; the code that explains refusals is a
  // separate file.
  const roles = ["client.ts", "server.ts"].filter((path) => sources.includes(path));
  await build({
    ...options,
    entryPoints: roles.map((path) => join(folder, path)),
    bundle: true,
    // White space is not minified: that would remove the marks by which a bundler drops unused tables.
    minifyIdentifiers: true,
    minifySyntax: true,
    allowOverwrite: true,
    plugins: [dynamicImportsFrom(folder)],
  });
  await written;
  await legalTexts(join(folder, "dist"));
}

async function runtime() {
  const folder = join(root, "runtime/core");
  // The types of the runtime come from the generated package, which does not exist yet while the project is
  // bootstrapped.
  if (!existsSync(join(root, "generated/package.json"))) return;
  const outdir = join(folder, "dist");
  await rm(outdir, { recursive: true, force: true });
  await Promise.all([
    build({
      ...common(outdir),
      platform: "node",
      external: ["@mcpgen/*"],
      entryPoints: await entriesOf(folder),
    }),
    declarations("scripts/tsconfig.runtime.json"),
  ]);
  await legalTexts(outdir);
}

/** Builds a package that lies in `runtime/`, except the core. */
async function besideRuntime(name) {
  const folder = join(root, "runtime", name);
  // Its declarations refer to the generated package's, most to the runtime's, too.
  if (!existsSync(join(root, "generated/package.json"))) return;
  const outdir = join(folder, "dist");
  await rm(outdir, { recursive: true, force: true });
  const { dependencies, peerDependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  await Promise.all([
    build({
      ...common(outdir),
      platform: "node",
      external: Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => [name, `${name}/*`]),
      entryPoints: await entriesOf(folder),
    }),
    declarations(`scripts/tsconfig.${name}.json`),
  ]);
  await legalTexts(outdir);
}

/**
 * Returns the sources of a package's entries: one for every code file in `dist` that its package.json names.
 */
async function entriesOf(folder) {
  const { exports, bin = {} } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const paths = Object.values({ ...exports, bin }).flatMap((target) => Object.values(target));
  const built = paths.filter((path) => /^(\.\/)?dist\/.*\.js$/.test(path));
  const sources = built.map((path) => path.replace(/^(\.\/)?dist\//, "").replace(/\.js$/, ".ts"));
  return [...new Set(sources)].map((source) => join(folder, source));
}

/** Copies the licence and the notices of a published package into the folder that is built. */
async function legalTexts(outdir) {
  for (const name of ["LICENSE", "NOTICE"]) await copyFile(join(root, name), join(outdir, name));
}

/**
 * Keeps modules that are imported on demand out of the bundle. They were built from the same folder as
 * separate modules.
 */
function dynamicImportsFrom(folder) {
  return {
    name: "dynamic imports",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
        kind === "dynamic-import"
          ? { path: `./${relative(folder, join(resolveDir, path)).replaceAll("\\", "/")}`, external: true }
          : undefined,
      ),
  };
}

function common(outdir) {
  return {
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    target,
    logLevel: "warning",
    chunkNames: "[name]-[hash]",
  };
}

/** Emits declarations with TypeScript 7, which is fast and prints its errors itself. */
function declarations(project) {
  return new Promise((resolve, reject) => {
    const tsc = spawn(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, project)],
      {
        stdio: "inherit",
      },
    );
    tsc.on("error", reject);
    tsc.on("exit", (code) => (code === 0 ? resolve() : reject(new Error("tsc failed"))));
  });
}
