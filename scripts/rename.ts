// Renames the project: npm run rename -- --name NEW [--scope @new] [--repository https://github.com/OWNER/NAME]
// Packages, program, configuration file, environment variables, paths and documents take the new names; codes of
// errors (MGnnnn) stay. What depends on names then changes: links between packages, layout, checksums, generated
// code. Needs no network. The same command with the old names takes it back.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { nameFault, namesOf, renaming, slugOf, type ProjectNames } from "./project-names.js";

const usage = "npm run rename -- --name NEW [--scope @new] [--repository https://github.com/OWNER/NAME]";

const from = namesOf(readFileSync("package.json", "utf8"));
const to = wanted();
const changes = changesTo(git("ls-files", "-z").split("\0").slice(0, -1));
for (const { file, target, text } of changes) {
  if (text !== undefined) writeFileSync(file, text, "latin1");
  if (target === file) continue;
  mkdirSync(dirname(target), { recursive: true });
  renameSync(file, target);
}
console.log(`rename: ${from.name}, ${from.scope} → ${to.name}, ${to.scope}: ${changes.length} files`);
remake();
console.log(
  `rename: done, and \`${to.name} check\` agrees. Look at \`git status\`; then npm test, git add --all.`,
);

/** Reads the names from the command line. Ends the process if they, or the state of the folder, forbid a renaming. */
function wanted(): ProjectNames {
  const { values } = parseArgs({
    options: { name: { type: "string" }, scope: { type: "string" }, repository: { type: "string" } },
  });
  const { name, scope = `@${name}`, repository } = values;
  if (name === undefined) refuse(`--name is missing: ${usage}`);
  const slug =
    repository === undefined ? from.repository.replaceAll(from.name, name) : (slugOf(repository) ?? "");
  const names = { name, scope, repository: slug };
  const fault = nameFault(names);
  if (fault !== undefined) refuse(fault);
  if (git("status", "--porcelain") !== "") refuse("the working tree has changes; commit or stash them first");
  return names;
}

interface Change {
  readonly file: string;
  readonly target: string;
  /** The new bytes, one a character; undefined if they stay. */
  readonly text: string | undefined;
}

/** Finds the files that change. Ends the process if the renaming could not be taken back. */
function changesTo(files: readonly string[]): Change[] {
  const forward = renaming(from, to);
  const back = renaming(to, from);
  const found: Change[] = [];
  const lost: string[] = [];
  for (const file of files) {
    const old = readFileSync(file, "latin1");
    const [text, target] = [forward(old), forward(file)];
    if (back(text) !== old || back(target) !== file) lost.push(file);
    if (text !== old || target !== file) found.push({ file, target, text: text === old ? undefined : text });
  }
  if (lost.length > 0)
    refuse(
      `these files contain the new names already: ${lost.slice(0, 5).join(", ")} (${lost.length} in all)`,
    );
  if (found.length === 0) refuse("the project has these names");
  return found;
}

/** Writes what depends on names once more. */
function remake(): void {
  // npm links the packages under their new scope; nothing is downloaded.
  run("npm", "install", "--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel=error");
  if (from.scope !== to.scope) rmSync(join("node_modules", from.scope), { recursive: true, force: true });
  const written = changes.map(({ target }) => target);
  run("npx", "prettier", "--write", "--ignore-unknown", "--log-level=warn", ...written);
  run("node", "scripts/build.mjs", "engine", "generator");
  run("node", "dist/generator/cli.js", "generate", "--quiet");
  run("node", "scripts/build.mjs");
  run("node", "dist/generator/cli.js", "check");
}

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 26 });
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
}

function refuse(reason: string): never {
  console.error(`rename: ${reason}`);
  process.exit(2);
}
