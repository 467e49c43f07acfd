import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtCli } from "../support/built-program.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema, smallSchemaText } from "../support/small-protocol.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Outputs, type Step, readOutputs, readWorkflow, runs } from "./workflow.js";
import { loopback } from "../support/listen.js";

const cli = builtCli();

interface Repository {
  /** The working tree. */
  readonly folder: string;
  /** Programs that replace the runner's, first in the PATH. Each logs its arguments. */
  readonly bin: string;
  readonly origin: string;
}

/** The calls of `npm` and `gh` so far. */
function calls({ bin }: Repository): string[] {
  const log = join(bin, "calls");
  return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
}

const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];

function git(folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, stderr]);
  return stdout.trimEnd();
}

/** A generated project under version control, with mcpgen installed. */
async function repository(): Promise<Repository> {
  const folder = await smallProject({ ".gitignore": "node_modules\n" });
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  const mcpgenScript = `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`;
  const log = `echo "$(basename "$0") $*" >> "$(dirname "$0")/calls"\n`;
  const bin = temporaryFolder({
    npx: `#!/bin/sh\n[ "$1" = mcpgen ] && shift && exec "${process.execPath}" "${cli}" "$@"\nexit 1\n`,
    npm: `#!/bin/sh\n${log}`,
    // A pull request is open once it was made, until someone merges it.
    gh: `#!/bin/sh\n${log}cd "$(dirname "$0")"\ncp "$RUNNER_TEMP/body.md" .\n[ "$2" = list ] && [ ! -e merged ] && grep -q "pr create" calls && echo 7\n:\n`,
  });
  for (const name of ["npx", "npm", "gh"]) chmodSync(join(bin, name), 0o755);
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/.bin/mcpgen"), mcpgenScript, { mode: 0o755 });
  const origin = temporaryFolder();
  git(origin, "init", "--quiet", "--bare");
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "remote", "add", "origin", origin);
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "first");
  return { folder, bin, origin };
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command beside this process, which may have to answer it. */
function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  const child = spawn(command, args, { cwd, env });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

const workflow = readWorkflow("examples/ci/mcpgen.yml");

/** Runs the steps of a job as the runner does, up to the first that fails. */
async function runJob(name: string, { folder, bin }: Repository, env: Record<string, string>): Promise<Ran> {
  const temp = temporaryFolder();
  const outputs: Outputs = new Map();
  const job = workflow.jobs[name]!;
  let output = "";
  for (const step of job.steps) {
    if (step.run === undefined || !runs(step, outputs)) continue;
    const written = join(temp, `output-${outputs.size}`);
    writeFileSync(written, "");
    const ran = await run("bash", ["-e", "-c", step.run], folder, {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: temp,
      CI: "true",
      RUNNER_TEMP: temp,
      GITHUB_OUTPUT: written,
      GITHUB_STEP_SUMMARY: join(temp, "summary.md"),
      ...job.env,
      ...step.env,
      ...env,
    });
    output += ran.output;
    if (ran.code !== 0) return { code: ran.code, output };
    outputs.set(step.id ?? `step${outputs.size}`, readOutputs(readFileSync(written, "utf8")));
  }
  const report = join(temp, job.env?.["REPORT"] ?? "none");
  return { code: 0, output: existsSync(report) ? readFileSync(report, "utf8") : output };
}

const steps = Object.values(workflow.jobs).flatMap((job): readonly Step[] => job.steps);

describe("the workflow", () => {
  test("check: passes on a clean tree, and fails with annotations on one that has drifted", async () => {
    const repo = await repository();
    expect(await runJob("check", repo, {})).toMatchObject({ code: 0 });
    expect(calls(repo)).toEqual(["npm ci"]);
    writeFileSync(join(repo.folder, "generated/2030-01-01/types.ts"), "// mine\n");
    const drifted = await runJob("check", repo, {});
    expect(drifted.code).toBe(1);
    expect(drifted.output).toContain("::error file=generated/2030-01-01/types.ts,title=MG3104::");
  });

  test("upstream: without changes, the job does nothing", async () => {
    const repo = await repository();
    const url = await loopback((_, response) => response.end(smallSchemaText));
    const { code } = await runJob("upstream", repo, { UPSTREAM: `${url}/2030-01-01/schema.json` });
    expect([code, calls(repo)]).toEqual([0, ["npm ci"]]);
    expect(git(repo.origin, "branch", "--list")).toBe("");
  });

  test("upstream: a server that fails does not count as drift", async () => {
    const repo = await repository();
    const url = await loopback((_, response) => response.writeHead(503).end());
    const { code } = await runJob("upstream", repo, { UPSTREAM: `${url}/draft/schema.json` });
    expect([code, calls(repo)]).toEqual([4, ["npm ci"]]);
  });

  test("upstream: all changes are proposed in one pull request, however often the server changes", async () => {
    const repo = await repository();
    const withParams = (required: string[]): string =>
      JSON.stringify({
        ...smallSchema,
        $defs: {
          ...smallSchema.$defs,
          EchoParams: {
            type: "object",
            properties: { text: { type: "string" }, lang: { type: "string" } },
            required,
          },
        },
      });
    let published = withParams(["text", "lang"]);
    const url = await loopback((_, response) => response.end(published));
    const env = { UPSTREAM: `${url}/schema/draft/schema.json` };

    const first = await runJob("upstream", repo, env);
    expect([first.code, first.output]).toEqual([
      0,
      expect.stringContaining("A new revision, draft; compared with"),
    ]);
    expect(first.output).toContain("| client | property-added-required | `EchoParams.lang` |");
    expect(first.output).toContain("## To decide");
    expect(git(repo.origin, "show", "--stat", "--format=", "mcpgen/upstream")).toContain(
      "schema/draft/schema.json",
    );
    // The check passes on the branch.
    expect((await mcpgen(repo.folder, ["check", "--full"])).code).toBe(0);

    git(repo.folder, "switch", "--quiet", "main");
    published = withParams(["lang"]);
    const second = await runJob("upstream", repo, env);
    expect(second.code).toBe(0);
    expect(calls(repo).map((call) => call.split(" ").slice(0, 3).join(" "))).toEqual([
      "npm ci",
      "gh pr list",
      "gh pr create",
      "npm ci",
      "gh pr list",
      "gh pr edit",
    ]);
    expect(git(repo.origin, "rev-list", "--count", "mcpgen/upstream")).toBe("2");
  });

  test("upstream: a merged pull request is not edited, and no text is longer than GitHub accepts", async () => {
    const repo = await repository();
    const temp = temporaryFolder({ "report.md": "é".repeat(100_000) });
    const propose = steps.find(({ name }) => name === "Propose")!;
    for (const name of ["one", "merged"]) {
      writeFileSync(join(repo.folder, name), "");
      if (name === "merged") writeFileSync(join(repo.bin, name), "");
      const ran = await run("bash", ["-e", "-c", propose.run!], repo.folder, {
        PATH: `${repo.bin}:${process.env["PATH"]}`,
        HOME: temp,
        RUNNER_TEMP: temp,
        REPORT: "report.md",
        BRANCH: "mcpgen/upstream",
      });
      expect(ran.code, ran.output).toBe(0);
    }
    expect(calls(repo).map((call) => call.split(" ").slice(0, 3).join(" "))).toEqual([
      "gh pr list",
      "gh pr create",
      "gh pr list",
      "gh pr create",
    ]);
    const body = readFileSync(join(repo.bin, "body.md"), "utf8");
    expect(body).toMatch(/^é{65000}\n\n… and more/);
    expect(body.length).toBeLessThan(65_536);
  });
});

describe("the hook", () => {
  async function hooked(): Promise<Repository> {
    const repo = await repository();
    const hook = join(repo.folder, ".git/hooks/pre-commit");
    copyFileSync("examples/ci/pre-commit", hook);
    chmodSync(hook, 0o755);
    return repo;
  }

  const commit = ({ folder }: Repository): Ran => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
    const args = [...identity, "commit", "--quiet", "--message", "next"];
    const { status, stdout, stderr } = spawnSync("git", args, { cwd: folder, encoding: "utf8", env });
    return { code: status, output: stdout + stderr };
  };

  test("accepts a commit whose output matches its schemas", async () => {
    const repo = await hooked();
    writeFileSync(
      join(repo.folder, "schema/docs.json"),
      '{"format":1,"definitions":{"EchoParams":"What to say."}}',
    );
    git(repo.folder, "add", "schema");
    const refused = commit(repo);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("types.ts: error MG3101")]);
    await mcpgen(repo.folder, ["generate"]);
    // The output must be committed, too.
    expect(commit(repo).code).toBe(1);
    git(repo.folder, "add", "generated");
    expect(commit(repo)).toEqual({
      code: 0,
      output: expect.stringContaining("output is up to date") as string,
    });
  });

  test("judges the staged files, not the working tree", async () => {
    const repo = await hooked();
    const file = join(repo.folder, "generated/2030-01-01/types.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}// mine\n`);
    git(repo.folder, "add", "generated");
    writeFileSync(file, text);
    expect(commit(repo)).toEqual({ code: 1, output: expect.stringContaining("error MG3104") as string });
  });

  test("does not run if a commit does not touch schemas or output", async () => {
    const repo = await hooked();
    writeFileSync(join(repo.folder, "generated/2030-01-01/types.ts"), "// mine\n");
    writeFileSync(join(repo.folder, "readme.md"), "hello\n");
    git(repo.folder, "add", "readme.md");
    expect(commit(repo)).toEqual({ code: 0, output: "" });
  });
});
