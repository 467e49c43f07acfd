import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A process and its descendants. */
export interface ProcessTree {
  /** Signals all processes. Does nothing if none is left. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
  /** Whether any process is left. */
  alive(): boolean;
}

/** The process group of `leader`: all its descendants except those that left the group. */
export function processGroup(leader: number): ProcessTree {
  // The system may reuse the number of an empty group.
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
 * In a container without an init process, orphans stay as zombies and count as members of the group. Only Linux shows
 * which members are zombies.
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
    // pid (name) state parent group …; the name may contain any character.
    const [state, , member] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(member) === group && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

/**
 * Windows has no process groups: taskkill ends a process and its descendants, always by force. After `leader` has ended
 * (`left`) its descendants cannot be found. Not tested on Windows.
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

/** Trees to end when this process exits, with the signal for each. */
const running = new Map<ProcessTree, "SIGTERM" | "SIGKILL">();

/**
 * Ends `tree` when this process exits, also by an exception: not every server exits at the end of its input. It has no
 * effect if this process is killed.
 *
 * @param signal SIGKILL for a tree that has had SIGTERM
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
