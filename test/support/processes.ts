import { execFileSync, spawnSync } from "node:child_process";

/** Returns the running processes of a group, without zombies. */
export function members(group: number): string[] {
  const lines = execFileSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => {
    const [member, state] = line.trim().split(/\s+/);
    return Number(member) === group && !state!.startsWith("Z");
  });
}

/** Whether a process runs and is not a zombie. */
export function runs(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}
