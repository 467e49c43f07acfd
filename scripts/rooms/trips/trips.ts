import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** What ran of a folder. */
export interface Trip {
  /** Files of which a function ran. */
  readonly files: readonly string[];
  /** Calls of a function from another file, or from the platform. */
  readonly entries: number;
}

/** A warm `tools/call` of 2026-07-28 over HTTP, through the sources of the runtime. */
export function callTrip(): Trip {
  return tripOf("/runtime/", ["scripts/rooms/trips/http-call.mjs"], { MCPGEN_TRIP: "asked" });
}

/** A command, through the sources of the generator. */
export function commandTrip(args: readonly string[]): Trip {
  return tripOf("/generator/", ["generator/cli.ts", ...args]);
}

/** `generate --only types` into a new folder. */
export function generateTrip(): Trip {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-trip-"));
  try {
    return commandTrip(["generate", "--only", "types", "--out", folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function tripOf(below: string, program: readonly string[], env: NodeJS.ProcessEnv = {}): Trip {
  const args = ["--conditions=mcpgen-source", "--import=./scripts/rooms/trips/trace.mjs", ...program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, ...env, MCPGEN_TRIP_BELOW: below },
  });
  // `diff` ends with 1 where it finds something.
  if (status !== 0 && status !== 1) throw new Error(`${program.join(" ")} ended with ${status}: ${stderr}`);
  const { files, entries } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as Trip;
  return { files: files.map((url) => relative(".", fileURLToPath(url))).toSorted(), entries };
}
