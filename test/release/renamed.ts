// Renames a copy of the last commit, tests it, and takes the renaming back: npm run test:renamed
// The copy is then equal to the commit, except for objects that the formatter broke over lines where the new names were too
// long: it does not join them again.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { namesOf, type ProjectNames } from "../../scripts/project-names.js";
import { otherNames } from "./other-names.js";

const own = namesOf(readFileSync("package.json", "utf8"));
const other = otherNames(own);

const copy = mkdtempSync(join(tmpdir(), "renamed-"));
try {
  run("git", "clone", "--quiet", "--no-hardlinks", process.cwd(), copy);
  const before = git("rev-parse", "HEAD");
  run("npm", "ci", "--ignore-scripts", "--prefer-offline");
  rename(other);
  run("npm", "test");
  rename(own);
  git("diff", "--exit-code", "--stat", "--diff-filter=ADT", before);
  const left: string[] = [];
  for (const file of git("diff", "--name-only", before).split("\n").filter(Boolean)) {
    const texts = [git("show", `${before}:${file}`), readFileSync(join(copy, file), "utf8")];
    const [one, two] = await Promise.all(texts.map((text) => joined(file, text)));
    if (one !== two) left.push(file);
  }
  if (left.length > 0) {
    console.error(`renamed, and renamed back, these files differ: ${left.join(", ")}`);
    run("git", "diff", before, "--", ...left);
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Renames the copy, and commits: the command refuses a working tree with changes. */
function rename({ name, scope, repository }: ProjectNames): void {
  const address = `https://github.com/${repository}`;
  run("npm", "run", "-s", "rename", "--", "--name", name, "--scope", scope, "--repository", address);
  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=Rename");
}

/** Lays code out as if no object had been broken over lines by hand. Other files stay as they are. */
async function joined(file: string, text: string): Promise<string> {
  if (!/\.[cm]?[jt]s$/.test(file)) return text;
  return format(text, { ...(await resolveConfig(file)), filepath: file, objectWrap: "collapse" });
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: copy, encoding: "utf8", maxBuffer: 2 ** 28 }).trim();
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: copy, stdio: ["ignore", "inherit", "inherit"] });
}
