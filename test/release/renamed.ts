// Renames a copy of the last commit, takes the names back, and tests the copy: npm run test:renamed
// The names are taken back in the texts alone, which must be the commit's once more. Three things may differ: code is
// broken over more lines, where the new names were too long; npm sorts its lock by names; and the manifest has checksums
// of other texts, with which `check`, the last step of the command, agreed.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { format, resolveConfig } from "prettier";
import { namesOf, renaming } from "../../scripts/project-names.js";
import { otherNames } from "./other-names.js";

const own = namesOf(readFileSync("package.json", "utf8"));
const other = otherNames(own);
const back = renaming(other, own);

const copy = mkdtempSync(join(tmpdir(), "renamed-"));
try {
  run("git", "clone", "--quiet", "--no-hardlinks", process.cwd(), copy);
  cpSync("node_modules", join(copy, "node_modules"), { recursive: true, verbatimSymlinks: true });
  const before = texts();
  const names = ["--name", other.name, "--scope", other.scope];
  const address = `https://github.com/${other.repository}`;
  run("npm", "run", "-s", "rename", "--", ...names, "--repository", address);
  git("add", "--all");
  const after = new Map([...texts()].map(([file, text]) => [back(file), back(text)]));
  const left: string[] = [];
  for (const file of new Set([...before.keys(), ...after.keys()]))
    if (!(await isSame(file, before.get(file), after.get(file)))) left.push(file);
  if (left.length > 0) throw new Error(`renamed, and renamed back, these files differ: ${left.join(", ")}`);
  git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=Rename");
  run("npm", "test");
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** The files of the copy that git knows, with their bytes, one a character. */
function texts(): Map<string, string> {
  const files = git("ls-files", "-z").split("\0").slice(0, -1);
  return new Map(files.map((file) => [file, readFileSync(join(copy, file), "latin1")]));
}

/** Whether a file is the same but for layout, the order of members, and checksums. */
async function isSame(file: string, one: string | undefined, two: string | undefined): Promise<boolean> {
  if (one === two) return true;
  if (one === undefined || two === undefined) return false;
  if (file.endsWith(".json")) return isDeepStrictEqual(membersOf(one), membersOf(two));
  return /\.[cm]?[jt]s$/.test(file) && (await joined(file, one)) === (await joined(file, two));
}

function membersOf(text: string): unknown {
  return JSON.parse(text.replaceAll(/"[0-9a-f]{64}"/g, '"checksum"'));
}

/** Lays code out as if no object had been broken over lines by hand. */
async function joined(file: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), filepath: file, objectWrap: "collapse" });
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: copy, encoding: "utf8", maxBuffer: 2 ** 28 });
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: copy, stdio: ["ignore", "inherit", "inherit"] });
}
