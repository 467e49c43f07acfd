// Functions that the steps of action.yml share. They run on the Node.js of the runner, without packages.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Escapes text as the data of a workflow command, so that it cannot begin another command. */
const escapeData = (text) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

/** Escapes text as a property of a workflow command. */
export const escapeProperty = (text) => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Prints an annotation without a place: `error`, `warning` or `notice`. */
export function annotate(level, text) {
  console.log(`::${level} title=mcpgen::${escapeData(text)}`);
}

/** Ends the step with an error. */
export function fail(text, code) {
  annotate("error", text);
  process.exit(code);
}

/** Sets outputs of the step. Each value is one line. */
export function setOutputs(values) {
  for (const [name, value] of Object.entries(values)) {
    if (/[\r\n]/.test(value)) fail(`the output ${name} has a line end`, 70);
    appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`);
  }
}

/** Reads the event that started the workflow. */
export function readEvent() {
  const path = process.env.GITHUB_EVENT_PATH;
  return path && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/** Runs git; returns its exit code and trimmed standard output. */
export function git(args, options = {}) {
  const { status, stdout, error } = spawnSync("git", args, { encoding: "utf8", ...options });
  if (error) fail(`git does not start: ${error.message}`, 3);
  return { code: status ?? 70, output: stdout.trimEnd() };
}

/** Runs the mcpgen that is installed in the project, without a shell; returns its exit code and standard output. */
export function mcpgen(args) {
  let manifest;
  try {
    manifest = createRequire(join(process.cwd(), "package.json")).resolve("mcpgen/package.json");
  } catch {
    fail("mcpgen is not installed in the project: add it to its devDependencies, and install them first", 2);
  }
  const program = join(dirname(manifest), JSON.parse(readFileSync(manifest, "utf8")).bin.mcpgen);
  const { status, stdout, error } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 28,
  });
  if (error) fail(`mcpgen does not run: ${error.message}`, 70);
  return { code: status ?? 70, output: stdout };
}

/**
 * Makes the files in annotations relative to the repository, where GitHub looks for them; mcpgen writes them
 * relative to the working directory.
 *
 * @param place gets the file as it is written in the annotation; undefined removes the file and the line
 */
export function mapAnnotations(text, place) {
  return text.replace(/^::(\w+) file=([^,\n]*?)((?:,line=\d+)?)(?=,|::)/gm, (_, level, file, line) => {
    const { file: mapped, hasLine } = place(file);
    return `::${level} file=${mapped}${hasLine ? line : ""}`;
  });
}

/** The working directory, relative to the repository: empty or with a slash at the end. */
export function repositoryPrefix() {
  return git(["rev-parse", "--show-prefix"]).output;
}
