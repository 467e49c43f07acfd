import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { builtCli } from "../support/built-program.js";
import { loopback } from "../support/listen.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Step, readOutputs } from "./workflow.js";

const cli = builtCli();

interface ActionStep extends Step {
  readonly shell?: string;
  readonly with?: Readonly<Record<string, string | boolean>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

const action = parse(readFileSync("action.yml", "utf8")) as Action;
const { steps } = action.runs;

type Values = Readonly<Record<string, string>>;

/** The value of an expression of the action: `inputs.NAME`, `github.token`, `steps.ID.outputs.NAME`. */
function valueOf(name: string, inputs: Values, outputs: ReadonlyMap<string, Values>): string {
  const [kind, first, , output] = name.split(".");
  if (name === "github.token") return "job-token";
  if (kind === "inputs") {
    const given = inputs[first!] ?? action.inputs[first!]?.default;
    if (given === undefined) throw new Error(`no such input: ${name}`);
    return filled(given, inputs, outputs);
  }
  if (kind !== "steps" || !steps.some(({ id }) => id === first)) throw new Error(`not known: ${name}`);
  return outputs.get(first!)?.[output!] ?? "";
}

/** Replaces the expressions of a text once: expressions inside of values are not replaced. */
function filled(text: string, inputs: Values, outputs: ReadonlyMap<string, Values>): string {
  return text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => valueOf(name, inputs, outputs));
}

/** Whether a step runs. The action's conditions only use comparisons, joined by &&. */
function isMet({ if: condition }: ActionStep, inputs: Values, outputs: ReadonlyMap<string, Values>): boolean {
  return (condition ?? "").split(" && ").every((part) => {
    if (part === "") return true;
    const [, name, operator, value] = /^([\w.-]+) (==|!=) '([^']*)'$/.exec(part) ?? [];
    if (name === undefined) throw new Error(`a condition of another form: ${part}`);
    return (valueOf(name, inputs, outputs) === value) === (operator === "==");
  });
}

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly outputs: ReadonlyMap<string, Values>;
  /** The actions that were used, with their inputs. */
  readonly used: readonly Values[];
  readonly summary: string;
}

/**
 * Runs the steps as the runner does, up to the first that fails.
 *
 * @param outputs outputs of steps that ran before
 */
async function runAction(
  folder: string,
  inputs: Values,
  env: Values = {},
  outputs = new Map<string, Values>(),
): Promise<Run> {
  const temp = temporaryFolder({ "event.json": env["EVENT"] ?? "{}", "summary.md": "" });
  const used: Values[] = [];
  let output = "";
  let code: number | null = 0;
  for (const [index, step] of steps.entries()) {
    if (!isMet(step, inputs, outputs)) continue;
    const fill = (values: object = {}): Values =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, filled(String(value), inputs, outputs)]),
      );
    if (step.run === undefined) {
      used.push({ uses: step.uses!, ...fill(step.with) });
      continue;
    }
    const written = join(temp, `output-${index}`);
    const script = join(temp, `step-${index}.sh`);
    writeFileSync(written, "");
    writeFileSync(script, step.run);
    const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
      cwd: join(folder, inputs["working-directory"] ?? "."),
      env: {
        PATH: process.env["PATH"],
        HOME: temp,
        CI: "true",
        RUNNER_TEMP: temp,
        GITHUB_ACTION_PATH: resolve("."),
        GITHUB_EVENT_PATH: join(temp, "event.json"),
        GITHUB_OUTPUT: written,
        GITHUB_STEP_SUMMARY: join(temp, "summary.md"),
        GITHUB_REPOSITORY: "ada/shop",
        GITHUB_SERVER_URL: "https://github.com",
        GITHUB_RUN_ID: "9",
        ...env,
        ...fill(step.env),
      },
    });
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    code = await new Promise((done) => child.on("close", done));
    if (code !== 0) break;
    if (step.id) outputs.set(step.id, Object.fromEntries(readOutputs(readFileSync(written, "utf8"))));
  }
  return { code, output, outputs, used, summary: readFileSync(join(temp, "summary.md"), "utf8") };
}

function git(folder: string, ...args: string[]): string {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, stderr]);
  return stdout.trimEnd();
}

const contract = (type: string, more = ""): string =>
  `name: shop\nversion: 1.0.0\ntools:\n  - name: find\n    inputSchema:\n      type: object\n      properties: { query: { type: ${type} } }\n${more}`;

/** A repository with a project in `shop/`: the second commit breaks the contract of the first. */
function repository(): { readonly folder: string; readonly base: string } {
  const gone = "  - name: gone\n    inputSchema: { type: object }\n";
  const folder = temporaryFolder({
    ".gitignore": "node_modules\n",
    "shop/mcp.contract.yaml": contract("string", gone),
    "shop/mcpgen.config.json": "{}",
    "shop/node_modules/mcpgen/package.json": '{"name":"mcpgen","bin":{"mcpgen":"cli.mjs"}}',
  });
  const program = `await import(${JSON.stringify(cli)});\n`;
  writeFileSync(join(folder, "shop/node_modules/mcpgen/cli.mjs"), program);
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "first");
  const base = git(folder, "rev-parse", "HEAD");
  git(folder, "switch", "--quiet", "--create", "change");
  writeFileSync(join(folder, "shop/mcp.contract.yaml"), contract("integer"));
  git(folder, "commit", "--quiet", "--all", "--message", "second");
  return { folder, base };
}

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string; readonly type: string };
}

/** The API of GitHub for the comments of pull request 7, with the token of a job. */
async function api(
  comments: Comment[],
  status?: number,
): Promise<{ readonly url: string; readonly calls: string[] }> {
  const calls: string[] = [];
  const url = await loopback(async (request, response) => {
    calls.push(`${request.method} ${request.url}`);
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    const reply = (code: number, value: unknown): void => {
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (request.headers.authorization !== "Bearer job-token") return reply(401, {});
    if (pathname === "/user") return reply(403, {});
    const { body } = (text === "" ? { body: "" } : JSON.parse(text)) as { body: string };
    if (body.length > 65_536) return reply(422, {});
    if (request.method !== "GET" && status !== undefined) return reply(status, {});
    if (request.method === "GET" && pathname === "/repos/ada/shop/issues/7/comments") {
      const size = Number(searchParams.get("per_page"));
      const start = (Number(searchParams.get("page")) - 1) * size;
      return reply(200, comments.slice(start, start + size));
    }
    if (request.method === "POST") {
      const user = { login: "github-actions[bot]", type: "Bot" };
      comments.push({ id: 1000 + comments.length, body, user });
      return reply(201, comments.at(-1));
    }
    const changed = comments.find(({ id }) => pathname === `/repos/ada/shop/issues/comments/${id}`)!;
    changed.body = body;
    return reply(200, changed);
  });
  return { url, calls };
}

const inShop = { "working-directory": "shop", install: "false" };
const pullRequest = (base: string): string =>
  JSON.stringify({ pull_request: { number: 7, base: { sha: base } } });

test("a broken contract: annotations, a page, and one comment, which is updated", async () => {
  const { folder, base } = repository();
  // A stranger wrote the marker of our comment first; a page of comments is before ours.
  const stranger = { login: "mallory", type: "User" };
  const comments: Comment[] = Array.from({ length: 100 }, (_, id) => ({ id, body: "hello", user: stranger }));
  const { url, calls } = await api(comments);
  const env = { EVENT: pullRequest(base), GITHUB_API_URL: url };
  const inputs = { ...inShop, check: "false", comment: "true" };

  // The folder has no schemas: a failed check does not prevent the comparison.
  const first = await runAction(folder, { ...inputs, check: "true" }, env);
  expect(first.output).toMatch(/^::error file=shop\/schema,title=MG2010::/m);
  expect([first.code, first.output]).toEqual([2, expect.stringContaining("type-changed")]);
  expect(first.output).toMatch(
    /^::error file=shop\/mcp\.contract\.yaml,line=\d+,title=MG3201::type-changed/m,
  );
  expect(first.output).toMatch(/^::error file=shop\/mcp\.contract\.yaml,title=MG3201::tool-removed/m);
  const { pages, code } = first.outputs.get("diff")!;
  expect([code, readdirSync(pages!)]).toEqual(["1", ["shop_mcp.contract.yaml.html"]]);
  const page = readFileSync(join(pages!, "shop_mcp.contract.yaml.html"), "utf8");
  const title = `${base.slice(0, 7)}:mcp.contract.yaml`;
  expect([page.includes(title), page.includes(join(pages!, ".."))]).toEqual([true, false]);
  expect(first.used).toEqual([
    expect.objectContaining({
      name: "mcpgen-diff",
      path: pages,
      uses: expect.stringContaining("upload") as string,
    }),
  ]);
  expect(comments).toHaveLength(101);
  const { body } = comments[100]!;
  expect(body).toContain(`## Protocol: ${title} → mcp.contract.yaml`);
  expect(body).toContain("https://github.com/ada/shop/actions/runs/9");
  expect(first.summary).toContain("| both | type-changed |");

  comments[50]!.body = body;
  writeFileSync(join(folder, "shop/mcp.contract.yaml"), readFileAt(folder, base));
  const second = await runAction(folder, inputs, env);
  expect([second.code, second.used]).toEqual([0, []]);
  expect(comments).toHaveLength(101);
  expect([comments[50]!.body, comments[100]!.body]).toEqual([
    body,
    expect.stringContaining("no differences"),
  ]);
  expect(calls.filter((call) => !call.startsWith("GET"))).toEqual([
    "POST /repos/ada/shop/issues/7/comments",
    "PATCH /repos/ada/shop/issues/comments/1100",
  ]);
  // The clone is as it was.
  expect(git(folder, "worktree", "list").split("\n")).toHaveLength(1);
});

const readFileAt = (folder: string, commit: string): string =>
  `${git(folder, "show", `${commit}:shop/mcp.contract.yaml`)}\n`;

test.each([
  [403, 0, /^::warning title=mcpgen::No comment: .* `pull-requests: write`/m],
  [500, 4, /^::error title=mcpgen::POST \/repos\/ada\/shop\/issues\/7\/comments was answered with 500$/m],
])("an API that answers with %i gives the exit code %i", async (status, expected, message) => {
  const { url } = await api([], status);
  const report = join(temporaryFolder({ "report.md": `${"é".repeat(70_000)}\n` }), "report.md");
  const env = { EVENT: pullRequest("0"), GITHUB_API_URL: url };
  const done = new Map([["diff", { report, changed: "true", key: "k" }]]);
  const inputs = { install: "false", check: "false", diff: "false", comment: "true", artifact: "" };
  const { code, output } = await runAction(temporaryFolder(), inputs, env, done);
  expect([code, output]).toEqual([expected, expect.stringMatching(message)]);
  expect(output).not.toContain("job-token");
});

test("without a base or a pull request there is nothing to compare or to comment", async () => {
  const { folder } = repository();
  const inputs = { ...inShop, check: "false", comment: "true" };
  const pushed = await runAction(folder, inputs, { EVENT: JSON.stringify({ before: "0".repeat(40) }) });
  expect([pushed.code, pushed.output]).toEqual([
    0,
    expect.stringContaining("::notice title=mcpgen::There is no base"),
  ]);
  writeFileSync(join(folder, "shop/new.yaml"), contract("string"));
  const added = await runAction(folder, { ...inputs, contracts: "new.yaml", base: "main" });
  expect([added.code, added.output]).toEqual([
    0,
    expect.stringContaining("The contract shop/new.yaml is new"),
  ]);
  expect(added.output).toContain("No comment: the event is not one of a pull request.");
});

test("a shallow clone fetches the base, and stays unchanged without a base", async () => {
  const { folder } = repository();
  const clone = join(temporaryFolder(), "clone");
  git(folder, "clone", "--quiet", "--depth=1", "--branch=change", `file://${folder}`, clone);
  cpSync(join(folder, "shop/node_modules"), join(clone, "shop/node_modules"), { recursive: true });
  const inputs = { ...inShop, check: "false", artifact: "" };
  const missing = await runAction(clone, { ...inputs, base: "not-there" });
  expect([missing.code, missing.output]).toEqual([3, expect.stringContaining("fetch-depth: 0")]);
  const { code, summary } = await runAction(clone, { ...inputs, base: "main" });
  expect([code, summary]).toEqual([1, expect.stringContaining("## Protocol: main:mcp.contract.yaml →")]);
  expect(git(clone, "for-each-ref", "--format=%(refname)")).not.toContain("main");
});

test("hostile inputs stay text", async () => {
  const { folder } = repository();
  const inputs = { ...inShop, check: "false" };
  const mark = join(folder, "ran");
  const attacks = [
    `$(touch ${mark})`,
    `"; touch ${mark}; "`,
    `\`touch ${mark}\``,
    `--upload-pack=touch ${mark}`,
  ];
  const tried: [Values, number][] = [
    ...attacks.map((base): [Values, number] => [{ base }, 2]),
    [{ base: "+refs/heads/change:refs/heads/main" }, 2],
    [{ base: "not-there" }, 3],
    [{ base: "main", contracts: `stdio:touch ${mark}` }, 3],
    [{ base: "main", contracts: "../../etc/passwd" }, 2],
    [{ base: "main", contracts: "--config=x" }, 3],
    [{ base: "main", contracts: " \n" }, 2],
  ];
  const before = git(folder, "for-each-ref");
  for (const [given, expected] of tried) {
    const { code, output } = await runAction(folder, { ...inputs, ...given });
    expect([given, code, output]).toEqual([given, expected, expect.stringMatching(/::error title=mcpgen::/)]);
  }
  const level = await runAction(folder, { ...inputs, base: "main", "fail-on": `any; touch ${mark}` });
  expect([level.code, existsSync(mark), git(folder, "for-each-ref")]).toEqual([2, false, before]);
});

test("a project without mcpgen gets an error", async () => {
  const { folder } = repository();
  mkdirSync(join(folder, "empty"));
  const ran = await runAction(folder, { ...inShop, "working-directory": "empty", diff: "false" });
  expect([ran.code, ran.output]).toEqual([
    2,
    expect.stringContaining("mcpgen is not installed in the project"),
  ]);
});

test("actions are pinned, and scripts do not contain expressions", () => {
  for (const line of readFileSync("action.yml", "utf8").split("\n"))
    if (line.includes("uses:")) expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  for (const { run, shell, uses } of steps) {
    expect(run ?? "").not.toContain("${{");
    expect(run === undefined ? uses : shell).toBeTruthy();
  }
  const read = new Set(
    [...JSON.stringify(action.runs).matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name),
  );
  expect([...read].toSorted()).toEqual(Object.keys(action.inputs).toSorted());
  for (const { value } of Object.values(action.outputs))
    expect(() => filled(value, {}, new Map())).not.toThrow();
});

test("docs/tasks/check-in-ci.md lists each input, and its workflow gives inputs that exist", () => {
  const page = readFileSync("docs/tasks/check-in-ci.md", "utf8");
  for (const name of Object.keys(action.inputs)) expect(page).toContain(`|\`${name}\`|`);
  const block = /```yaml\n(# \.github\/workflows\/[\s\S]*?)```/.exec(page)![1]!;
  const workflow = parse(block) as { jobs: Record<string, { steps: ActionStep[]; permissions: Values }> };
  const [job] = Object.values(workflow.jobs);
  const use = job!.steps.find(({ uses }) => uses?.startsWith("mcpgen/mcpgen@"))!;
  for (const name of Object.keys(use.with!)) expect(Object.keys(action.inputs)).toContain(name);
  expect(job!.permissions).toEqual({ contents: "read", "pull-requests": "write" });
});
