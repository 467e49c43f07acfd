import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isThorough } from "../support/cases.mjs";
import { readerEnvironment } from "../support/walkthrough.js";

/** The packages as a user has them: packed, and installed outside of the repository, all together. */
export interface Installation {
  /** Folders of readers stand directly in it, so that the relative paths of lockfiles hold. */
  readonly root: string;
  /** The folder of the tarballs. */
  readonly tarballs: string;
  /** The folder of the packages, with the package.json of the installation beside it. */
  readonly modules: string;
  /** A folder where only the command of the README has installed the packages. */
  readonly first: string;
  /** Our packages: name and specifier, as npm writes them. */
  readonly own: Readonly<Record<string, string>>;
}

/** Registers a function that runs after the end of a task, also if the task is aborted. */
export type AtEnd = (end: () => void) => void;

/** Third-party packages that documents tell their readers to install, and the manifest that has the version. */
const others = [
  ["typescript", "package.json"],
  ["@types/node", "package.json"],
  ["esbuild", "package.json"],
  ["zod", "package.json"],
  ["@modelcontextprotocol/sdk", "test/interop/package.json"],
  ["@modelcontextprotocol/server", "test/interop/package.json"],
] as const;

/**
 * Packs the output of the last build, and installs it with npm, which prefers its cache for third-party packages: alone, as the
 * README says, and with the packages that documents need.
 */
export function installedIn(root: string): Installation {
  const [tarballs, first, folder] = [join(root, "tarballs"), join(root, "first"), join(root, "installed")];
  run(process.execPath, ["scripts/pack.mjs", tarballs, "--as-built"], ".", process.env);
  const home = join(root, "npm-home");
  const env = npmEnvironment(home);
  mkdirSync(first);
  const [, install] = /^(npm install \/path\/to\/.*)$/m.exec(readFileSync("README.md", "utf8"))!;
  run("sh", ["-c", written(install!, tarballs)], first, env);
  cpSync(first, folder, { recursive: true, verbatimSymlinks: true });
  const more = others.map(([name, manifest]) => `${name}@${versionIn(manifest, name)}`);
  run("npm", ["install", ...more], folder, env);
  const specs = Object.entries(dependenciesIn(join(folder, "package.json")));
  const own = Object.fromEntries(specs.filter(([, spec]) => spec.startsWith("file:")));
  return { root, tarballs, modules: join(folder, "node_modules"), first, own };
}

/** The text of a document with the folder of the tarballs in the place of the reader's. */
export function written(text: string, tarballs: string): string {
  return text.replaceAll("/path/to/mcpgen/dist/packages", tarballs);
}

/** A folder where the packages are installed, as a reader has it before the first step. */
export function readerFolder({ root, modules, own }: Installation, name: string, more: object = {}): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...more, dependencies: own }, null, 2)}\n`);
  symlinkSync(modules, join(folder, "node_modules"));
  return folder;
}

/** A folder as a reader has it after the command of the README: npm changes its packages as the reader wants. */
export function firstFolder({ root, first }: Installation, name: string): string {
  const folder = join(root, name);
  linkFolder(first, folder);
  return folder;
}

/** Files that npm writes in place. It replaces all others, so that they can be links to one copy. */
const inPlace = /^\.?package(-lock)?\.json$/;

function linkFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [old, next] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(old, next);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(old), next);
    else (inPlace.test(entry.name) ? copyFileSync : linkSync)(old, next);
  }
}

/** npx, but for a program of the folder, which it starts in a tenth of the time. With the numbers of issues, npx itself. */
const installedFirst = `[ ! -x "node_modules/.bin/$1" ] || exec "node_modules/.bin/$@"
exec "${join(process.execPath, "../npx")}" "$@"`;

/** The environment of a reader: nothing of a job of CI, and of this machine's user only how npm finds its registry. */
export function environmentIn(
  home: string,
  programs: { readonly [name: string]: string } = {},
): NodeJS.ProcessEnv {
  return {
    ...npmEnvironment(home),
    ...readerEnvironment(home, {
      mcpgen: 'exec npx mcpgen "$@"',
      ...(!isThorough && { npx: installedFirst }),
      ...programs,
    }),
  };
}

/** The registry and the cache of npm that this machine has. npx downloads nothing that the reader did not ask for. */
function npmEnvironment(home: string): NodeJS.ProcessEnv {
  mkdirSync(home);
  const proxies = Object.entries(process.env).filter(([name]) => /_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name));
  return {
    ...Object.fromEntries(proxies),
    PATH: process.env["PATH"],
    ...Object.fromEntries(
      ["audit", "fund", "update_notifier", "yes"].map((key) => [`npm_config_${key}`, "false"]),
    ),
    npm_config_prefer_offline: "true",
    npm_config_logs_max: "0",
    ...Object.fromEntries(["cache", "userconfig"].map((key) => [`npm_config_${key}`, configured(key)])),
    HOME: home,
  };
}

/** A setting of this machine's npm. */
export const configured = (key: string): string =>
  execFileSync("npm", ["config", "get", key], { encoding: "utf8" }).trim();

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): void {
  execFileSync(command, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
}

function versionIn(manifest: string, name: string): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, "utf8")) as {
    readonly [kind: string]: Readonly<Record<string, string>> | undefined;
  };
  const version = dependencies?.[name] ?? devDependencies?.[name];
  if (version === undefined) throw new Error(`${manifest} names no ${name}`);
  return version;
}

function dependenciesIn(manifest: string): Readonly<Record<string, string>> {
  return (JSON.parse(readFileSync(manifest, "utf8")) as { dependencies: Record<string, string> })
    .dependencies;
}
