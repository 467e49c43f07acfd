import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtProgram } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

const program = builtProgram("scripts/gate/nearest.ts", { packages: "external" });

const config = `export default { test: { globals: true, include: ["test/**/*.test.ts"], maxWorkers: 2 } };`;

/** Runs long tests, all of them near, in a separate repository. */
function nearest(tests: Readonly<Record<string, string>>, ...args: string[]) {
  const files = Object.entries(tests).map(([name, text]) => [`test/${name}.long.test.ts`, text]);
  const folder = temporaryFolder({
    "package.json": `{ "workspaces": [] }`,
    "vitest.config.mjs": config,
    ".gitignore": "node_modules/",
    ...Object.fromEntries(files),
  });
  execFileSync("git", ["init", "-q"], { cwd: folder });
  const commit = [
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@example.com",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "x",
  ];
  execFileSync("git", commit, { cwd: folder });
  const env = { ...process.env, BASE: "HEAD", NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: "utf8",
    env,
  });
  const left = /^left to the nightly.*\n((?: {2}.*\n)*)/m.exec(stdout)?.[1]?.trim().split(/\s+/) ?? [];
  return { status, left, output: stdout + stderr };
}

const endless = `test("endless", () => new Promise(() => setTimeout(() => {}, 1e9)));`;

test("tests near to a change run, and a failure fails the run", () => {
  const passes = nearest({ passes: `test("passes", () => {}); test.skip("is skipped", () => {});` });
  expect(passes, passes.output).toMatchObject({ status: 0, left: [] });
  for (const text of [
    `test("fails", () => { throw new Error("no"); });`,
    `test("passes", () => {}); afterAll(() => { throw new Error("no"); });`,
    `test("passes", () => { void Promise.reject(new Error("no")); return new Promise((r) => setTimeout(r, 10)); });`,
    `throw new Error("no");`,
  ]) {
    const failing = nearest({ fails: text });
    expect(failing, failing.output).toMatchObject({ status: 1, left: [] });
  }
});

test("a file that did not end in time is left to the nightly run, and an earlier failure still fails the run", () => {
  const cut = nearest({ cut: `${endless} test("later", () => {});` }, "--seconds", "2");
  expect(cut, cut.output).toMatchObject({ status: 0, left: ["test/cut.long.test.ts"] });
  const after = `afterAll(() => { throw new Error("what it waits for never comes"); });`;
  const unclean = nearest({ cut: `${endless} ${after}` }, "--seconds", "2");
  expect(unclean, unclean.output).toMatchObject({ status: 0, left: ["test/cut.long.test.ts"] });
  const stuck = nearest({ stuck: `test("stuck", () => { for (;;); });` }, "--seconds", "2");
  expect(stuck, stuck.output).toMatchObject({ status: 0, left: ["test/stuck.long.test.ts"] });
});

test("a worker whose test never ends does not outlive the run", async () => {
  const file = join(temporaryFolder(), "pid");
  const text = `import { writeFileSync } from "node:fs";
test("busy", () => { writeFileSync(${JSON.stringify(file)}, String(process.pid)); for (;;); });`;
  nearest({ busy: text }, "--seconds", "2");
  const worker = Number(readFileSync(file, "utf8"));
  await until("the end of the worker", () => !isRunning(worker));
});

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
