import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../support/temporary-folder.js";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}
type Permissions = Readonly<Record<string, string>>;
interface Job {
  readonly steps: readonly Step[];
  readonly permissions?: Permissions;
  readonly needs?: readonly string[];
  readonly if?: string;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
  readonly permissions?: Permissions;
}

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => ending.test(file) && !file.includes("node_modules"))
    .map((file) => join(folder, file));

/** Workflows as files, and those that documents show. */
const workflows: [place: string, workflow: Workflow][] = [
  ...filesIn(".github/workflows", /\.ya?ml$/).map((file): [string, string] => [
    file,
    readFileSync(file, "utf8"),
  ]),
  ...filesIn("examples", /\.ya?ml$/).map((file): [string, string] => [file, readFileSync(file, "utf8")]),
  ...[...filesIn("docs", /\.md$/), "README.md"].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^```ya?ml\n([^]*?)^```/gm)].map(([, text]): [string, string] => [
      file,
      text!,
    ]),
  ),
]
  .filter(([, text]) => /^jobs:/m.test(text))
  .map(([file, text]) => [file, parse(text) as Workflow]);

const action = parse(readFileSync("action.yml", "utf8")) as { runs: { steps: readonly Step[] } };
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);
const places: [string, readonly Step[]][] = [
  ["action.yml", action.runs.steps],
  ...workflows.map(([file, workflow]): [string, Step[]] => [file, stepsOf(workflow)]),
];

test("workflows are found in the repository, the examples and the documents", () => {
  const found = places.map(([place]) => place.replace(/\/.*/, ""));
  expect(new Set(found)).toEqual(new Set(["action.yml", ".github", "examples", "docs"]));
});

describe.each(places)("%s", (_, steps) => {
  test("names each action by a commit", () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
  });

  test("does not put texts of events into scripts, where they would run", () => {
    for (const { run = "", with: given = {} } of steps) {
      expect(run).not.toContain("${{");
      expect(String(given["script"] ?? "")).not.toContain("${{");
    }
  });
});

describe.each(workflows)("%s", (_, { jobs, permissions }) => {
  test("may only read, unless a job asks for more", () => {
    for (const job of Object.values(jobs)) expect(job.permissions ?? permissions).toBeDefined();
    expect(permissions ?? { contents: "read" }).toEqual({ contents: "read" });
  });

  test("does not leave a token in a clone, unless it pushes", () => {
    for (const { steps, permissions: own } of Object.values(jobs))
      for (const { uses, with: given } of steps)
        if (uses?.startsWith("actions/checkout@") && own?.["contents"] !== "write")
          expect(given?.["persist-credentials"]).toBe(false);
  });
});

describe("the release", () => {
  const { jobs } = workflows.find(([file]) => file.endsWith("release.yml"))![1];
  const publishing = Object.entries(jobs).filter(([, { permissions }]) => permissions !== undefined);
  const [[name, publish] = ["", undefined]] = publishing;

  test("only one job may publish, and it runs no code of the project", () => {
    expect(publishing.map(([each]) => each)).toEqual(["publish"]);
    expect(publish!.permissions).toEqual({ "id-token": "write" });
    expect(publish!.if).toBe("github.ref_type == 'tag'");
    expect(publish!.needs).toEqual(Object.keys(jobs).filter((each) => each !== name));
    const used = publish!.steps.flatMap(({ uses }) => uses?.split("@")[0] ?? []);
    expect(used).toEqual(["actions/setup-node", "actions/download-artifact"]);
    const scripts = publish!.steps.map(({ run = "" }) => run).join("\n");
    expect(scripts).not.toMatch(/\bnpm (?!publish )|\bnpx\b|\bnode\b|\bgit\b|scripts\//);
    expect(scripts).toContain("--ignore-scripts");
  });

  const tarballOf = (name: string): string => name.replace("@", "").replace("/", "-");

  /** Runs the scripts of the job as a runner does, with an npm that only writes down what it is asked for. */
  function published(
    change: (packages: string) => void,
    sums?: { readonly tested?: string; readonly packed?: string },
  ) {
    const folder = temporaryFolder();
    const packages = join(folder, "packages");
    mkdirSync(packages);
    for (const each of [
      "engine",
      "protocol",
      "base",
      "runtime",
      "testing",
      "auth",
      "tasks",
      "apps",
      "observe",
      "cluster",
      "bridge",
      "sqlite",
      "postgres",
      "redis",
    ])
      writeFileSync(join(packages, `${tarballOf(`@mcpgen/${each}`)}-1.2.3.tgz`), `tarball of ${each}`);
    for (const name of ["mcpgen", "create-mcpgen"])
      writeFileSync(join(packages, `${name}-1.2.3.tgz`), `tarball of ${name}`);
    const { stdout } = spawnSync("bash", ["scripts/sums.sh", packages], { encoding: "utf8" });
    const own = stdout.trim().replace(/^sums=/, "");
    change(packages);
    writeFileSync(join(folder, "npm"), '#!/bin/sh\necho "$@" >> "$ASKED"\n');
    chmodSync(join(folder, "npm"), 0o755);
    const asked = join(folder, "asked");
    const env = {
      PATH: `${folder}:${process.env["PATH"]}`,
      ASKED: asked,
      TAG: "v1.2.3",
      TESTED: sums?.tested ?? own,
      PACKED: sums?.packed ?? own,
    };
    const ended = publish!.steps
      .flatMap(({ run }) => run ?? [])
      .every((run) => spawnSync("bash", ["-e", "-c", run], { cwd: folder, env }).status === 0);
    return { ended, asked: existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : [] };
  }

  test("publishes the packages that both jobs have packed, with provenance", () => {
    const { ended, asked } = published(() => {});
    expect(ended).toBe(true);
    expect(asked).toHaveLength(16);
    expect(asked.at(-1)).toBe(
      "publish ./packages/create-mcpgen-1.2.3.tgz --ignore-scripts --provenance --access=public --tag=latest",
    );
  });

  const other = `${"0".repeat(64)}  mcpgen-1.2.3.tgz;`;
  test.each<[string, (packages: string) => void, object?]>([
    [
      "a changed tarball",
      (packages) => appendFileSync(join(packages, `${tarballOf("@mcpgen/auth")}-1.2.3.tgz`), "x"),
    ],
    [
      "one more tarball",
      (packages) => copyFileSync(join(packages, "mcpgen-1.2.3.tgz"), join(packages, "x.tgz")),
    ],
    ["jobs that packed different bytes", () => {}, { tested: other }],
    ["hashes of other tarballs", () => {}, { tested: other, packed: other }],
    ["no hashes", () => {}, { tested: "", packed: "" }],
  ])("publishes nothing for %s", (_, change, sums = {}) => {
    expect(published(change, sums)).toEqual({ ended: false, asked: [] });
  });
});

test("each package is published with its provenance", () => {
  const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as {
    workspaces: readonly string[];
  };
  for (const folder of [".", ...workspaces])
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
      publishConfig: { access: "public", provenance: true },
    });
});
