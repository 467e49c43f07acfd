import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import { readRegularText } from "../files/regular-file.js";

/** Our packages by name, with the folder that each has in a checkout of mcpgen. */
const workspaces = {
  mcpgen: ".",
  "@mcpgen/auth": "runtime/auth",
  "@mcpgen/engine": "engine",
  "@mcpgen/protocol": "generated",
  "@mcpgen/runtime": "runtime/core",
  "@mcpgen/tasks": "runtime/tasks",
} as const;

/** The name of one of our packages. */
type OwnPackage = keyof typeof workspaces;

/**
 * The origin of our packages for a new project: the place that this mcpgen came from, so that `npm install` finds the
 * same ones.
 */
export interface PackageSpecs {
  /** By package name: a version, or `file:` and an absolute path. */
  readonly specs: Readonly<Record<OwnPackage, string>>;
  readonly origin: "checkout" | "registry" | "tarballs";
}

/**
 * The specifiers of our packages in package.json: paths into the checkout that mcpgen runs from, the tarballs that npm
 * installed it from, or else its version.
 *
 * @param folder the folder of the mcpgen package that runs
 * @param version its version
 */
export function packageSpecs(folder: string, version: string): PackageSpecs {
  const names = Object.keys(workspaces) as OwnPackage[];
  const specsBy = (specOf: (name: OwnPackage) => string): PackageSpecs["specs"] =>
    Object.fromEntries(names.map((name) => [name, specOf(name)])) as PackageSpecs["specs"];
  const places = names.map((name) => join(folder, workspaces[name], "package.json"));
  if (places.every((file) => existsSync(file)))
    return { origin: "checkout", specs: specsBy((name) => `file:${join(folder, workspaces[name])}`) };
  const tarballs = installedTarballs(folder);
  if (names.every((name) => tarballs.has(name)))
    return { origin: "tarballs", specs: specsBy((name) => `file:${tarballs.get(name)!}`) };
  return { origin: "registry", specs: specsBy(() => version) };
}

/** The tarballs that npm installed the packages beside `folder` from, by package, as its lockfile in node_modules says. */
function installedTarballs(folder: string): Map<string, string> {
  const modules = dirname(folder);
  const found = new Map<string, string>();
  const packages = packagesOf(join(modules, ".package-lock.json"));
  if (!isJsonObject(packages)) return found;
  for (const [path, entry] of Object.entries(packages)) {
    const resolved = isJsonObject(entry) ? entry["resolved"] : undefined;
    if (!path.startsWith("node_modules/") || typeof resolved !== "string") continue;
    const [, file] = /^file:(.*\.tgz)$/.exec(resolved) ?? [];
    if (file === undefined) continue;
    const tarball = resolve(dirname(modules), file);
    if (existsSync(tarball)) found.set(path.slice("node_modules/".length), tarball);
  }
  return found;
}

function packagesOf(lockfile: string): JsonValue | undefined {
  try {
    const content = JSON.parse(readRegularText(lockfile)) as JsonValue;
    return isJsonObject(content) ? content["packages"] : undefined;
  } catch {
    return undefined;
  }
}
