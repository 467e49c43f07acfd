import { execFileSync, spawnSync } from "node:child_process";

/** The processes of a group that run; zombies do not. */
export function members(group: number): string[] {
  const lines = execFileSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => {
    const [member, state] = line.trim().split(/\s+/);
    return Number(member) === group && !state!.startsWith("Z");
  });
}

/** Whether a process runs; a zombie does not. */
export function runs(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}
