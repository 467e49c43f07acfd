import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { readOutputs, readWorkflow } from "./workflow.js";

const { jobs } = readWorkflow("examples/ci/hosts.yml");

/** Runs a step as the runner does, with programs that replace its own. Each logs its arguments. */
function run(
  job: string,
  step: string,
  folder: string,
  programs: { readonly [name: string]: string },
  env: NodeJS.ProcessEnv = {},
) {
  const bin = temporaryFolder(
    Object.fromEntries(
      Object.entries(programs).map(([name, text]) => [
        name,
        `#!/bin/sh\necho "$(basename "$0") $*" >> "$(dirname "$0")/calls"\n${text}\n`,
      ]),
    ),
  );
  for (const name of Object.keys(programs)) chmodSync(join(bin, name), 0o755);
  const { run: script } = jobs[job]!.steps.find(({ name }) => name === step)!;
  const files = { GITHUB_OUTPUT: join(bin, "outputs"), GITHUB_STEP_SUMMARY: join(bin, "summary") };
  const { status, stderr } = spawnSync("bash", ["--norc", "-e", "-c", script!], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: `${bin}:${process.env["PATH"]}`, ...jobs[job]!.env, ...files, ...env },
  });
  const text = (name: string): string =>
    existsSync(join(bin, name)) ? readFileSync(join(bin, name), "utf8") : "";
  return {
    status,
    stderr,
    calls: text("calls"),
    summary: text("summary"),
    outputs: readOutputs(text("outputs")),
  };
}

test.each([0, 1])("a report that ends with %i is kept, with its exit code", (code) => {
  const folder = temporaryFolder();
  const ran = run("test", "Test", folder, { npx: `echo "| codex |"; exit ${code}` });
  expect(ran).toMatchObject({ status: 0, summary: "| codex |\n", stderr: "" });
  expect(ran.calls).toBe(
    "npx mcpgen host test stdio:node dist/main.js --host codex --host claude-code --no-times --format markdown\n",
  );
  expect(readFileSync(join(folder, "hosts.md"), "utf8")).toBe("| codex |\n");
  expect(ran.outputs.get("code")).toBe(String(code));
  expect(run("test", "Result", folder, {}, { CODE: String(code) }).status).toBe(code);
});

test("where hosts cannot be run, the job fails, and there is nothing to comment", () => {
  const ran = run("test", "Test", temporaryFolder(), { npx: "exit 3" });
  expect([ran.status, ran.outputs.size]).toEqual([3, 0]);
});

const where = { GITHUB_REPOSITORY: "ada/shop", NUMBER: "7", MARKER: "<!-- mcpgen hosts -->" };
const list = "gh api repos/ada/shop/issues/7/comments --paginate --jq ";

test("the first report is a new comment, later ones update it", () => {
  const folder = temporaryFolder({ "hosts.md": "# Hosts\n" });
  const first = run("comment", "Comment", folder, { gh: "" }, where);
  expect(first).toMatchObject({ status: 0, stderr: "" });
  expect(first.calls).toContain(list);
  expect(first.calls.trim().split("\n").at(-1)).toBe(
    "gh api --silent repos/ada/shop/issues/7/comments -F body=@body.md",
  );
  expect(readFileSync(join(folder, "body.md"), "utf8")).toBe("<!-- mcpgen hosts -->\n# Hosts\n");
  // Two pages of comments, with one of ours in each.
  const later = run(
    "comment",
    "Comment",
    folder,
    { gh: `[ "$2" = --silent ] || printf '11\\n12\\n'` },
    where,
  );
  expect(later.calls.trim().split("\n").at(-1)).toBe(
    "gh api --silent --method PATCH repos/ada/shop/issues/comments/11 -F body=@body.md",
  );
});

test("comments of other authors, and other comments, are not updated", () => {
  const [, filter] = /--jq \\\n\s*'([^']*)'/.exec(
    jobs["comment"]!.steps.find(({ name }) => name === "Comment")!.run!,
  )!;
  expect(filter).toContain('.user.login == "github-actions[bot]"');
  expect(filter).toContain("startswith(env.MARKER)");
});

test("a long report is cut between two lines", () => {
  const folder = temporaryFolder({ "hosts.md": `${"é".repeat(50)}\n`.repeat(1000) });
  expect(run("comment", "Comment", folder, { gh: "" }, where)).toMatchObject({ status: 0, stderr: "" });
  const body = readFileSync(join(folder, "body.md"), "utf8");
  expect(body.length).toBeLessThan(65_536);
  expect(body).not.toContain("\ufffd");
  expect(body).toMatch(/^<!-- mcpgen hosts -->\n(?:é{50}\n)+\n… and more: see the summary of the run.\n$/);
});

test("the job that may write runs nothing of the pull request", () => {
  const { comment, ...others } = jobs;
  expect(comment!.permissions).toEqual({ "pull-requests": "write" });
  for (const { permissions } of Object.values(others)) expect(permissions).toBeUndefined();
  const used = comment!.steps.map(({ uses, run: script }) => uses?.split("@")[0] ?? script!);
  expect(used[0]).toBe("actions/download-artifact");
  expect(used).toHaveLength(2);
  expect(used[1]).not.toMatch(/\b(?:npm|npx|node|git)\b|^\s*(?:\.|source|bash|sh)\b/m);
});
