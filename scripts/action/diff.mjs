// The step "Compare" of action.yml compares each contract with its version in the base. It writes
// annotations, Markdown and an HTML page.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import {
  annotate,
  escapeProperty,
  fail,
  git,
  mapAnnotations,
  mcpgen,
  readEvent,
  repositoryPrefix,
  setOutputs,
} from "./shared.mjs";

/** GitHub refuses summaries of 1 MiB. */
const summaryLimit = 900_000;

const { CONTRACTS = "", BASE = "", FAIL_ON = "breaking", RUNNER_TEMP, GITHUB_STEP_SUMMARY } = process.env;
const root = git(["rev-parse", "--show-toplevel"]).output;
if (root === "") fail("the working directory is not in a Git repository: run actions/checkout first", 2);
const prefix = repositoryPrefix();

/** The name of the base: the input, or the base that the event names. */
function baseName() {
  if (BASE !== "") return BASE;
  const { pull_request: pull, merge_group: group, before } = readEvent();
  const commit = pull?.base.sha ?? group?.base_sha ?? before;
  return commit === undefined || /^0+$/.test(commit) ? undefined : commit;
}

/** Returns the commit of a branch, a tag or a commit name; fetches it if the clone does not have it. */
function commitOf(name) {
  const isCommit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(name);
  if (!isCommit && (/^[-+]/.test(name) || git(["check-ref-format", `refs/heads/${name}`]).code !== 0))
    fail(`the input base is not the name of a branch, tag or commit: ${JSON.stringify(name)}`, 2);
  const find = (revision) =>
    git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]).output;
  const known = find(`refs/remotes/origin/${name}`) || find(name);
  if (known) return known;
  git(["fetch", "--quiet", "--no-tags", "--depth=1", "origin", name]);
  const fetched = git(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"]);
  return fetched.code === 0
    ? fetched.output
    : fail(`the base ${name} is not in the clone: give actions/checkout "fetch-depth: 0"`, 3);
}

/** Writes the files of a commit into a folder. The clone keeps its index and its worktrees. */
function writeTree(commit, folder) {
  const options = { cwd: root, env: { ...process.env, GIT_INDEX_FILE: `${folder}.index` } };
  const done =
    git(["read-tree", commit], options).code === 0 &&
    git(["checkout-index", "--all", "--quiet", `--prefix=${folder}/`], options).code === 0;
  if (!done) fail(`the files of the base ${commit} cannot be written`, 3);
}

const files = CONTRACTS.split("\n").flatMap((line) => line.trim() || []);
if (files.length === 0) fail("the input contracts names no file", 2);
const contracts = files.map((file) => {
  // An absolute path is never taken for a source of another kind, such as stdio:COMMAND.
  const path = resolve(file);
  const name = relative(root, path).split(sep).join("/");
  if (isAbsolute(name) || name === ".." || name.startsWith("../"))
    fail(`the contract is not in the repository: ${JSON.stringify(file)}`, 2);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    fail(`there is no such contract: ${JSON.stringify(file)}`, 3);
  return { path, name };
});

const named = baseName();
if (named === undefined) {
  annotate("notice", "There is no base to compare with: the event names none, and the input base is empty.");
  setOutputs({ code: "0" });
  process.exit(0);
}
const commit = commitOf(named);
const work = mkdtempSync(join(RUNNER_TEMP, "mcpgen-"));
const base = join(work, "base");
const pages = join(work, "pages");
mkdirSync(pages);
writeTree(commit, base);

/** Whether a name reads the same as plain text, in Markdown and in HTML. */
const isPlain = (name) => /^[\w./ -]+$/.test(name);

const label = isPlain(named) && !/^[0-9a-f]{40}/.test(named) ? named : commit.slice(0, 7);
const reports = contracts.map(({ path, name }) => {
  const old = join(base, name);
  if (!existsSync(old)) {
    annotate("notice", `The contract ${name} is new: ${label} does not have it.`);
    return { code: 0, text: `## Protocol: \`${name.replaceAll("`", "'")}\` is new\n`, isChanged: false };
  }
  const run = (format) => mcpgen(["diff", `--fail-on=${FAIL_ON}`, `--format=${format}`, "--", old, path]);
  /** Replaces the path of the temporary folder in the report by the name of the base. */
  const readable = (text) =>
    isPlain(name) ? text.replaceAll(old, `${label}:${relative(process.cwd(), path)}`) : text;
  const { code, output } = run("github");
  // A finding about something that the contract no longer has has no line in the contract.
  const placed = mapAnnotations(output, (file) => {
    if (file === escapeProperty(old)) return { file: escapeProperty(name), hasLine: false };
    const isWhole = isAbsolute(file);
    return { file: isWhole ? escapeProperty(name) : `${escapeProperty(prefix)}${file}`, hasLine: true };
  });
  process.stdout.write(placed);
  if (code > 1) return { code, text: "", isChanged: false };
  const text = readable(run("markdown").output);
  const page = `${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}.html`;
  writeFileSync(join(pages, page), readable(run("html").output));
  return { code, text, isChanged: /^### /m.test(text) };
});

const report = join(work, "report.md");
const text = reports.map((each) => each.text).join("\n");
writeFileSync(report, text);
if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, `${text.slice(0, summaryLimit)}\n`);
const code = Math.max(...reports.map((each) => each.code));
setOutputs({
  code: String(code),
  changed: String(reports.some((each) => each.isChanged)),
  pages,
  // With this key, two uses of the action in one workflow write separate comments.
  key: createHash("sha256")
    .update(contracts.map(({ name }) => name).join("\n"))
    .digest("hex")
    .slice(0, 16),
  ...(code <= 1 && { report }),
});
