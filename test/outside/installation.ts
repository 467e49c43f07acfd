import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readerEnvironment } from "../support/walkthrough.js";

/** The packages as a user has them: packed, and installed outside of the repository, all together. */
export interface Installation {
  /** Folders of readers stand directly in it, so that the relative paths of lockfiles hold. */
  readonly root: string;
  /** The folder of the tarballs. */
  readonly tarballs: string;
  /** The folder of the packages, with the package.json of the installation beside it. */
  readonly modules: string;
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

/** Packs the output of the last build, and installs it. npm prefers its cache for third-party packages. */
export function installedIn(root: string): Installation {
  const [tarballs, folder] = [join(root, "tarballs"), join(root, "installed")];
  run(process.execPath, ["scripts/pack.mjs", tarballs, "--as-built"], ".");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), "{}\n");
  const packages = [
    ...readdirSync(tarballs).map((name) => join(tarballs, name)),
    ...others.map(([name, manifest]) => `${name}@${versionIn(manifest, name)}`),
  ];
  const quietly = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["install", ...quietly, ...packages], folder);
  const specs = Object.entries(dependenciesIn(join(folder, "package.json")));
  const own = Object.fromEntries(specs.filter(([, spec]) => spec.startsWith("file:")));
  return { root, tarballs, modules: join(folder, "node_modules"), own };
}

/** A folder where the packages are installed, as a reader has it before the first step. */
export function readerFolder({ root, modules, own }: Installation, name: string, more: object = {}): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...more, dependencies: own }, null, 2)}\n`);
  symlinkSync(modules, join(folder, "node_modules"));
  return folder;
}

/** Finds programs of packages as npx does, and loads none. */
const npx = `name=$1; shift; folder=$PWD
while [ "$folder" != / ]; do
  program="$folder/node_modules/.bin/$name"
  [ -x "$program" ] && exec "$program" "$@"
  folder=$(dirname "$folder")
done
echo "npx: $name is not installed" >&2; exit 127`;

/** The environment of a reader: nothing of this machine's user, and nothing of a job of CI. */
export function environmentIn(
  { modules }: Installation,
  home: string,
  programs: { readonly [name: string]: string } = {},
): NodeJS.ProcessEnv {
  mkdirSync(home);
  const npm = `case "$1" in
  install) shift; exec node "${resolve("test/outside/npm-install.mjs")}" "${modules}" "$@";;
  *) exec "${join(process.execPath, "../npm")}" --silent "$@";;
esac`;
  return readerEnvironment(home, { npx, npm, mcpgen: 'exec npx mcpgen "$@"', ...programs });
}

/** Runs a program of this machine's user. */
function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
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
