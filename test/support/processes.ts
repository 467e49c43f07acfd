import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** The processes of a group that run; zombies do not. */
export function members(group: number): string[] {
  const lines = execFileSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => {
    const [member, state] = line.trim().split(/\s+/);
    return Number(member) === group && !state!.startsWith("Z");
  });
}

/** Resolves when `holds`, looking often; rejects after 20 seconds, which a busy machine may need. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds()) {
    await sleep(5);
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
  }
}
