// Renames the project: npm run rename -- --name NEW [--scope @new] [--repository https://github.com/OWNER/NAME]
// Packages, program, configuration file, environment variables, paths and documents take the new names; codes of
// errors (MGnnnn) stay. What depends on names then changes: links between packages, layout, checksums, generated
// code. Needs no network. The same command with the old names takes it back.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { nameFault, namesOf, renaming, slugOf, type ProjectNames } from "./project-names.js";

const usage =
  "usage: npm run rename -- --name NEW [--scope @new] [--repository https://github.com/OWNER/NAME]";
const wayBack = "The project is half renamed. The way back: git reset --hard && git clean -fd && npm install";

let isWriting = false;
try {
  const from = namesOf(readFileSync("package.json", "utf8"));
  const to = wanted(from);
  const changes = changesOf(from, to, output("git", "ls-files", "-z").split("\0").slice(0, -1));
  // Without its packages the project cannot be built once more.
  output("npm", "ls", "--depth=0");
  isWriting = true;
  for (const { file, target, text } of changes) {
    if (text !== undefined) writeFileSync(file, text, "latin1");
    if (target === file) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(file, target);
  }
  console.log(`rename: ${from.name}, ${from.scope} → ${to.name}, ${to.scope}: ${changes.length} files`);
  remake(
    from.scope,
    to.scope,
    changes.map(({ target }) => target),
  );
  console.log(
    `rename: done, and \`${to.name} check\` agrees. Look at \`git status\`; then npm test, git add --all.`,
  );
} catch (error) {
  console.error(`rename: ${(error as Error).message}`);
  console.error(isWriting ? wayBack : usage);
  process.exitCode = isWriting ? 1 : 2;
}

/** Reads the names from the command line. @throws {Error} they, or changes in the folder, forbid a renaming */
function wanted(from: ProjectNames): ProjectNames {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { name: text, scope: text, repository: text } });
  const { name, scope = `@${name}`, repository } = values;
  if (name === undefined) throw new Error("--name is missing");
  const slug =
    repository === undefined ? from.repository.replaceAll(from.name, name) : (slugOf(repository) ?? "");
  const names = { name, scope, repository: slug };
  const fault = nameFault(names);
  if (fault !== undefined) throw new Error(fault);
  if (output("git", "status", "--porcelain") !== "")
    throw new Error("the working tree has changes; commit or stash them first");
  return names;
}

interface Change {
  readonly file: string;
  readonly target: string;
  /** The new bytes, one a character; undefined if they stay. */
  readonly text: string | undefined;
}

/** Finds the files that change. @throws {Error} none does, or the renaming could not be taken back */
function changesOf(from: ProjectNames, to: ProjectNames, files: readonly string[]): Change[] {
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
    throw new Error(
      `these files contain the new names already: ${lost.slice(0, 5).join(", ")} (${lost.length} in all)`,
    );
  if (found.length === 0) throw new Error("the project has these names");
  return found;
}

/** Writes what depends on names once more. */
function remake(oldScope: string, newScope: string, files: readonly string[]): void {
  // npm links the packages under their new scope; nothing is downloaded.
  run("npm", "install", "--ignore-scripts", "--offline", "--no-audit", "--no-fund", "--loglevel=error");
  if (oldScope !== newScope) rmSync(join("node_modules", oldScope), { recursive: true, force: true });
  run("npx", "prettier", "--write", "--ignore-unknown", "--log-level=warn", ...files);
  run("node", "scripts/build.mjs", "engine", "generator");
  run("node", "dist/generator/cli.js", "generate", "--quiet");
  run("node", "scripts/build.mjs");
  run("node", "dist/generator/cli.js", "check");
}

function output(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
}

/** Runs a program. @throws {Error} it cannot start, or ends with another code than 0 */
function run(program: string, ...args: string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  const reason = error?.message ?? `it ended with ${status}`;
  if (status !== 0) throw new Error(`\`${[program, ...args].join(" ").slice(0, 99)}\` failed: ${reason}`);
}
