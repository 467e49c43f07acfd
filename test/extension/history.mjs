// Adds every schema of an extension that was ever published, generates from it, and prints what was assumed. By hand, because it downloads
// packages and needs a clone of the repository of the tasks extension:
//
//   npm run build && node test/extension/history.mjs [path/to/ext-tasks]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [repository] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "mcpgen-history-"));

/** Runs a program, and returns what it printed. */
function run(program, args, cwd = scratch) {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** The schemas in the releases of a package on npm, oldest first: those that have one. */
function* released(name, path) {
  for (const version of JSON.parse(run("npm", ["view", name, "versions", "--json"]))) {
    const folder = join(scratch, "npm", version);
    mkdirSync(folder, { recursive: true });
    run("npm", ["pack", `${name}@${version}`, "--silent"], folder);
    const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"));
    run("tar", ["xzf", tarball], folder);
    const file = join(folder, "package", path);
    yield { version, file: existsSync(file) ? file : undefined };
  }
}

/** Each content that files of a name ever had in a repository, oldest first. */
function* committed(folder, name) {
  const git = (...args) => run("git", ["-C", resolve(folder), ...args]);
  const commits = git("log", "--all", "--reverse", "--format=%H", "--", `*${name}`).trim().split("\n");
  for (const commit of commits) {
    for (const path of git("ls-tree", "-r", "--name-only", commit).split("\n")) {
      if (path.split("/").at(-1) !== name) continue;
      const file = join(scratch, "git", `${commit}-${path.replaceAll("/", "-")}`);
      mkdirSync(join(scratch, "git"), { recursive: true });
      writeFileSync(file, git("show", `${commit}:${path}`));
      yield { version: `${commit.slice(0, 7)}-${path.split("/").at(-2)}`, file };
    }
  }
}

/** Adds each schema to an empty store, and prints a line for it, and what was assumed. */
function tryAll(id, bases, sources) {
  const seen = new Set();
  let failed = 0;
  for (const { version, file } of sources) {
    if (file === undefined) {
      console.log(`${id}@${version}: has no schema`);
      continue;
    }
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    if (seen.has(hash)) {
      console.log(`${id}@${version}: the same file again`);
      continue;
    }
    seen.add(hash);
    const project = join(scratch, "project");
    rmSync(project, { recursive: true, force: true });
    cpSync(join(root, "schema"), join(project, "schema"), {
      recursive: true,
      filter: (from) => !from.includes("extensions"),
    });
    const lock = JSON.parse(readFileSync(join(project, "schema/lock.json"), "utf8"));
    delete lock.extensions;
    writeFileSync(join(project, "schema/lock.json"), JSON.stringify(lock));
    const args = [file, "--id", id, "--version", version, "--no-descriptions", "--json"];
    const based = bases.flatMap((base) => ["--base", base]);
    const cli = join(root, "dist/generator/cli.js");
    try {
      const { definitions, methods, dropped, folds, reopened, assumptions, questions } = JSON.parse(
        run(process.execPath, [cli, "extension", "add", ...args, ...based], project),
      );
      console.log(
        `${id}@${version}: ${definitions.length} definitions, ${dropped.length} of the base, ${folds.length} copies, ` +
          `${reopened.length} reopened, ${methods.length} methods, ${questions.length} questions`,
      );
      run(process.execPath, [cli, "generate", "--quiet", "--out", "generated"], project);
      for (const { kind, subject, text } of assumptions)
        console.log(`  assumed (${kind} of ${subject}): ${text}`);
    } catch (error) {
      failed++;
      console.log(`${id}@${version}: FAILED\n${error.stdout ?? error}`);
    }
  }
  return failed;
}

let failed = tryAll(
  "io.modelcontextprotocol/ui",
  ["2025-06-18", "2025-11-25", "2026-07-28"],
  released("@modelcontextprotocol/ext-apps", "dist/src/generated/schema.json"),
);
if (repository !== undefined)
  failed += tryAll("io.modelcontextprotocol/tasks", ["2026-07-28"], committed(repository, "schema.json"));
rmSync(scratch, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;
