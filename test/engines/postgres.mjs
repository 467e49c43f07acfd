import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lackOf, pathOf } from "../support/programs.mjs";
import { newFolder, start, userOf } from "./guarded.mjs";

/** The folder of programs of the newest version: Debian has one for each, others have them where all programs are. */
function programs() {
  const versions = "/usr/lib/postgresql";
  const found = existsSync(versions) ? readdirSync(versions).sort((one, other) => other - one) : [];
  const folders = found.map((version) => join(versions, version, "bin"));
  const path = pathOf("initdb");
  return [...folders, ...(path ? [join(path, "..")] : [])].find((folder) =>
    ["initdb", "postgres"].every((name) => existsSync(join(folder, name))),
  );
}

const folderOfPrograms = programs();
/** It refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const user = isRoot ? userOf("postgres") : undefined;

/** The reason why there is no PostgreSQL here, or `undefined`. */
export const noPostgres =
  lackOf(folderOfPrograms !== undefined, "PostgreSQL is not installed") ??
  lackOf(!isRoot || user !== undefined, "there is no user postgres, and PostgreSQL does not run as root");

/**
 * Starts an empty PostgreSQL, for this process and those that it starts.
 *
 * @param settings more of its options, e.g. `{ max_connections: "10" }`
 * @returns the options with which `pg` connects, and a function that stops it
 */
export async function startPostgres(settings = {}) {
  const folder = newFolder(user);
  const data = join(folder, "data");
  const made = [...["-D", data, "-U", "postgres", "-A", "trust"], "-E", "UTF8", "--locale=C", "--no-sync"];
  try {
    const stdio = ["ignore", "ignore", "pipe"];
    execFileSync(join(folderOfPrograms, "initdb"), made, { cwd: folder, stdio, ...user });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const all = { listen_addresses: "", unix_socket_directories: folder, fsync: "off", ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = [join(folderOfPrograms, "postgres"), "-D", data, ...options];
  // Stops at once: its data is not needed any longer.
  const stop = await start(command, {
    ready: "ready to accept connections",
    signal: "QUIT",
    folder,
    user,
  });
  return { host: folder, user: "postgres", database: "postgres", stop };
}
