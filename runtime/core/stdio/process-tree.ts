import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A process and what it has started. */
export interface ProcessTree {
  /** Signals all of it; nothing happens if none is left. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
  /** Whether a process of it is left. */
  alive(): boolean;
}

/** The process group that `leader` leads: all its descendants but those that left it on purpose. */
export function processGroup(leader: number): ProcessTree {
  // Once it is empty its number may be given to others.
  let gone = false;
  const kill = (signal: NodeJS.Signals | 0): void => {
    if (gone) return;
    try {
      process.kill(-leader, signal);
    } catch {
      // No such group; on some systems "not permitted", if only zombies are left.
      gone = true;
    }
  };
  return {
    signal: kill,
    alive() {
      kill(0);
      gone ||= onlyZombies(leader);
      return !gone;
    },
  };
}

/**
 * Where nothing reaps orphans, as in a container without an init, they stay as zombies and count as members
 * of the group. Linux alone tells them apart.
 */
function onlyZombies(group: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const processes = readdirSync("/proc").filter((name) => /^\d/.test(name));
    return !processes.some((id) => livesIn(group, id));
  } catch {
    return false;
  }
}

function livesIn(group: number, id: string): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "latin1");
    // pid (name) state parent group …, and the name may hold anything.
    const [state, , member] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(member) === group && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

/**
 * Windows knows no process groups: taskkill ends a process with its descendants, always by force. Once
 * `leader` is gone (`left` says so) nobody can tell whose they were. Untested on Windows itself.
 */
export function windowsTree(leader: number, left: () => boolean): ProcessTree {
  return {
    signal() {
      if (left()) return;
      const program = join(process.env["SYSTEMROOT"] ?? "C:\\Windows", "System32", "taskkill.exe");
      const killer = spawn(program, ["/pid", String(leader), "/t", "/f"], {
        stdio: "ignore",
        windowsHide: true,
      });
      killer.on("error", () => process.kill(leader));
    },
    alive: () => !left(),
  };
}

/** Trees that are ended when this process exits, and the signal that ends each. */
const running = new Map<ProcessTree, "SIGTERM" | "SIGKILL">();

/**
 * Ends `tree` when this process exits, also by an exception: not every server ends at the end of its input. Nothing
 * else can be done when this process is killed.
 *
 * @param signal SIGKILL for a tree that had SIGTERM already
 */
export function afterProcess(tree: ProcessTree, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): void {
  if (running.size === 0) process.on("exit", endAll);
  running.set(tree, signal);
}

/** Undoes `afterProcess`. */
export function noLongerAfterProcess(tree: ProcessTree): void {
  running.delete(tree);
  if (running.size === 0) process.off("exit", endAll);
}

function endAll(): void {
  for (const [tree, signal] of running) tree.signal(signal);
}
