import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isJsonObject } from "@mcpgen/engine";
import { objectIn } from "../files/json-file.js";

/** mcpgen's packages by name, with their folders in a checkout. */
const workspaces = {
  mcpgen: ".",
  "@mcpgen/auth": "runtime/auth",
  "@mcpgen/base": "runtime/base",
  "@mcpgen/bridge": "runtime/bridge",
  "@mcpgen/cluster": "runtime/cluster",
  "@mcpgen/engine": "engine",
  "@mcpgen/protocol": "generated",
  "@mcpgen/runtime": "runtime/core",
  "@mcpgen/tasks": "runtime/tasks",
  "@mcpgen/testing": "runtime/testing",
} as const;

/** The name of one of mcpgen's packages. */
type OwnPackage = keyof typeof workspaces;

/**
 * Where a new project gets mcpgen's packages from: the same place as this mcpgen, so that `npm install` finds
 * the same versions.
 */
export interface PackageSpecs {
  /** By package name: a version, or `file:` and an absolute path. */
  readonly specs: Readonly<Record<OwnPackage, string>>;
  readonly origin: "checkout" | "registry" | "tarballs";
}

/**
 * Specifiers of mcpgen's packages for package.json: paths into the checkout that mcpgen runs from, the
 * tarballs that npm installed it from, or its version.
 *
 * @param folder folder of the running mcpgen package
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

/**
 * The tarballs that the packages beside `folder` were installed from, by package, according to npm's lockfile
 * in node_modules.
 */
function installedTarballs(folder: string): Map<string, string> {
  const modules = dirname(folder);
  const found = new Map<string, string>();
  const packages = objectIn(join(modules, ".package-lock.json"))?.["packages"];
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
