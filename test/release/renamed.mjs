// Renames a copy of the last commit, tests it, and takes the renaming back: node test/release/renamed.mjs [NAME]
// The copy is then equal to the commit, except for objects that the formatter broke over lines where the new names were too
// long: it does not join them again.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";

const { name, repository } = JSON.parse(readFileSync("package.json", "utf8"));
const { package: generated } = JSON.parse(readFileSync("mcpgen.config.json", "utf8"));
const own = {
  name,
  scope: generated.name.replace("/protocol", ""),
  repository: repository.url.replace(/^git\+|\.git$/g, ""),
};
// In parts: a name that the repository contains is refused.
const words = ["proto", "forge"];
const other = {
  name: process.argv[2] ?? words.join(""),
  scope: `@${words.join("-")}`,
  repository: `https://github.com/${words.join("-")}/compiler`,
};

const copy = mkdtempSync(join(tmpdir(), "renamed-"));
try {
  run("git", "clone", "--quiet", "--no-hardlinks", process.cwd(), copy);
  const before = git("rev-parse", "HEAD");
  run("npm", "ci", "--ignore-scripts", "--prefer-offline");
  rename(other);
  run("npm", "test");
  rename(own);
  git("diff", "--exit-code", "--stat", "--diff-filter=ADT", before);
  const left = [];
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
function rename({ name, scope, repository: address }) {
  run("npm", "run", "-s", "rename", "--", "--name", name, "--scope", scope, "--repository", address);
  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=Rename");
}

/** Lays a text out as if no object had been broken over lines by hand. */
async function joined(file, text) {
  return format(text, { ...(await resolveConfig(file)), filepath: file, objectWrap: "collapse" });
}

function git(...args) {
  return execFileSync("git", args, { cwd: copy, encoding: "utf8", maxBuffer: 2 ** 28 }).trim();
}

function run(program, ...args) {
  execFileSync(program, args, { cwd: copy, stdio: ["ignore", "inherit", "inherit"] });
}
