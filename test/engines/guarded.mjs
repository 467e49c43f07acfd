// A program that runs as long as this process at most, in a folder that is removed after it.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// The shell outlives this process, even if this process is killed: the end of its input is the signal.
const guard = `
signal=$1 folder=$2; shift 2
exec 3<&0
"$@" </dev/null 3<&- & program=$!
{ cat >/dev/null; kill -s "$signal" $program; } <&3 3<&- 2>/dev/null &
# The shell reports a program that a signal ended, perhaps to no reader.
exec 3<&- 2>/dev/null
wait $program; code=$?
rm -rf "$folder"
exit $code`;

/** A new folder in the one for temporary files. @param user who owns it: ids, if it is not this one */
export function newFolder(user) {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-"));
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/**
 * Starts a program, and waits until it is ready.
 *
 * @param command the program and its arguments
 * @param options.ready the text that it prints when it is ready
 * @param options.signal the signal that ends it
 * @param options.folder its working folder, removed after its end
 * @param options.user the `uid` and `gid` under which it runs, if they differ from those of this process
 * @returns a function that ends it, and resolves when it has ended
 */
export async function start(command, { ready, signal, folder, user = {} }) {
  const child = spawn("/bin/sh", ["-c", guard, "guard", signal, folder, ...command], {
    cwd: folder,
    ...user,
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.on("error", () => {});
  const stop = async () => {
    child.ref();
    child.stdin.end();
    await ended;
  };
  let printed = "";
  await new Promise((resolve, reject) => {
    const look = (text) => {
      printed += text;
      if (printed.includes(ready)) resolve();
    };
    for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", look);
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`${command[0]} ended with ${code}:\n${printed}`)));
  });
  // What it prints later is not kept.
  for (const output of [child.stdout, child.stderr]) output.removeAllListeners("data").resume();
  // The program does not keep this process alive, and ends with it.
  child.unref();
  for (const stream of child.stdio) stream.unref();
  return stop;
}

/** The ids of a user, or `undefined` if there is none. */
export function userOf(name) {
  const idOf = (kind) => Number(execFileSync("id", [kind, name], { encoding: "utf8", stdio: "pipe" }));
  try {
    return { uid: idOf("-u"), gid: idOf("-g") };
  } catch {
    return undefined;
  }
}
