import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A package as `npm pack` makes it. */
export interface Packed {
  readonly name: string;
  readonly tarball: string;
  /** Paths in it. */
  readonly files: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>> & {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
}

/** Runs npm, which prefers its cache. */
export function npm(directory: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): string {
  const quiet =
    args[0] === "install" ? ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"] : [];
  const env = { ...process.env, ...more };
  const stdio = ["ignore", "pipe", "pipe"] as const;
  return execFileSync("npm", [...args, ...quiet], {
    cwd: directory,
    encoding: "utf8",
    env,
    stdio: [...stdio],
  });
}

/**
 * Packs the packages that a user installs, into a new folder: `npm run pack` without its build, which would remove the
 * built files that other tests use at the same time.
 */
export function packAll(folder: string): Packed[] {
  execFileSync(process.execPath, ["scripts/pack.mjs", "--as-built", folder], { stdio: "pipe" });
  return readdirSync(folder).map((file) => read(join(folder, file)));
}

function read(tarball: string): Packed {
  const tar = (...args: string[]): string => execFileSync("tar", args, { encoding: "utf8" });
  const manifest = JSON.parse(tar("-xzOf", tarball, "package/package.json")) as Packed["manifest"] & Packed;
  const files = tar("-tzf", tarball).trim().split("\n");
  return {
    name: manifest.name,
    tarball,
    manifest,
    files: files.map((file) => file.slice("package/".length)),
  };
}
