import { execFileSync } from "node:child_process";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import {
  type Manifest,
  compareOutput,
  planOutput,
  planSet,
  recordedFiles,
  manifestFile,
  readManifest,
} from "../../generator/files/plan.js";
import { layoutFreeSha256 } from "../../generator/files/regular-file.js";
import { WriteRoot } from "../../generator/files/held-folder.js";
import { writeFileSets, writeFiles } from "../../generator/files/writer.js";
import { cases, seed } from "../support/cases.mjs";
import { stepped } from "./file-system-steps.js";

/** Files of the user, beside the project that was cloned; nothing here may change. */
const theirs = {
  "secret.txt": "s3cret",
  "src/main.ts": "// work of a year",
  "project/x.txt": "another x",
  ".ssh/authorized_keys": "ssh-ed25519 AAAA",
} as const;

let base = "";
let count = 0;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "mcpgen-hostile-")));
  if (process.platform !== "win32") execFileSync("mkfifo", [join(base, "pipe")]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Everything below a folder: kinds, rights, targets of links, content of files. */
function snapshot(folder: string): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const found = lstatSync(path);
    const more = found.isFile()
      ? readFileSync(path, "utf8")
      : found.isSymbolicLink()
        ? readlinkSync(path)
        : "";
    lines.push(`${path.slice(folder.length)} ${found.mode} ${found.ino} ${more}`);
    if (found.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(folder);
  return lines.join("\n");
}

const names = ["a.txt", "b.txt", "x", "y", "deep"] as const;
const name = fc.constantFrom(...names);
const inside = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
/** Names by which a repository could lead out. */
const hostile = fc.oneof(
  fc.constantFrom(
    ...["../user/secret.txt", "../../user/src/main.ts", "x/../../user/secret.txt", "..", "../user/new.txt"],
    ...[".git/config", ".git/hooks/post-checkout", ".GIT/config", "x/.git/config", ".git./config"],
    ...["..\\user\\secret.txt", "C:\\x", "x//y", "./x", "x/.", "/", ""],
  ),
  fc.constantFrom("secret.txt", "src/main.ts", "new.txt").map((path) => `ABSOLUTE/${path}`),
);
const path = fc.oneof({ weight: 4, arbitrary: inside }, { weight: 1, arbitrary: hostile });

/** An entry somewhere in the project. */
const entry = fc.oneof(
  fc.record({ kind: fc.constant("file" as const), text: fc.constantFrom("1", "2") }),
  fc.record({ kind: fc.constant("folder" as const) }),
  fc.record({ kind: fc.constant("pipe" as const) }),
  fc.record({
    kind: fc.constant("link" as const),
    to: fc.constantFrom(
      ...["ABSOLUTE", "ABSOLUTE/secret.txt", "ABSOLUTE/src", "ABSOLUTE/new.txt", "ABSOLUTE/.ssh"],
      ...["../user", "../user/secret.txt", "../../user/src", ".", "..", "x", "/", "none", ".git"],
    ),
  }),
);

/** Journals that an earlier version of mcpgen would have executed, and temporary files of dead and live processes. */
const planted = fc.record({
  owner: fc.constantFrom("4194998", "4194999", "0", "-1", String(process.pid)),
  paths: fc.array(path, { maxLength: 4 }),
  kind: fc.constantFrom("journal", "temporary", "link", "folder"),
});

const tree = fc.record({
  entries: fc.array(fc.tuple(inside, entry), { maxLength: 8 }),
  planted: fc.array(planted, { maxLength: 2 }),
  manifest: fc.option(
    fc.record({
      files: fc.dictionary(path, fc.constantFrom("1", "2", "s3cret", "another x"), { maxKeys: 4 }),
      writing: fc.option(fc.dictionary(path, fc.constantFrom("1", "s3cret", null), { maxKeys: 4 }), {
        nil: undefined,
      }),
    }),
    { nil: undefined },
  ),
  changes: fc.array(
    fc.record({ path, content: fc.constantFrom("new", "other", null), isPrivate: fc.boolean() }),
    { minLength: 1, maxLength: 5 },
  ),
  out: fc.oneof(
    { weight: 3, arbitrary: fc.constant(".") },
    { weight: 2, arbitrary: inside },
    { weight: 1, arbitrary: hostile },
  ),
  force: fc.boolean(),
  way: fc.constantFrom("files", "plan", "named"),
  /** A folder that another program swaps for a link while the command writes. */
  swap: fc.option(fc.record({ step: fc.integer({ min: 1, max: 25 }), at: inside }), { nil: undefined }),
});

type Tree = typeof tree extends fc.Arbitrary<infer Value> ? Value : never;

function absolute(text: string, user: string): string {
  return text.replace("ABSOLUTE", user);
}

/** Ignores errors: some entries of a random tree cannot be created beside others. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Something else stands there.
  }
}

function plant(root: string, user: string, { entries, planted: traps, manifest }: Tree): void {
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  writeFileSync(join(root, ".git/config"), "[core]");
  for (const [at, made] of entries)
    attempt(() => {
      const place = join(root, at);
      mkdirSync(dirname(place), { recursive: true });
      if (made.kind === "file") writeFileSync(place, made.text, { flag: "wx" });
      else if (made.kind === "folder") mkdirSync(place);
      else if (made.kind === "link") symlinkSync(absolute(made.to, user), place);
      else linkSync(join(base, "pipe"), place);
    });
  for (const { owner, paths, kind } of traps)
    attempt(() => {
      const temporary = join(root, `.mcpgen-write-${owner}-0123456789ab`);
      if (kind === "temporary") writeFileSync(temporary, "left", { flag: "wx" });
      else if (kind === "link") symlinkSync(user, temporary);
      else if (kind === "folder") mkdirSync(temporary);
      else {
        const folder = join(root, `.mcpgen-write-${owner}`);
        mkdirSync(folder);
        const journal = paths.map((each) => ({ path: absolute(each, user), existed: false }));
        writeFileSync(join(folder, "journal.json"), JSON.stringify(journal));
      }
    });
  if (!manifest) return;
  const hashed = (files: Readonly<Record<string, string | null>>): object =>
    Object.fromEntries(
      Object.entries(files).map(([each, text]) => [
        absolute(each, user),
        text === null ? null : layoutFreeSha256(each, text),
      ]),
    );
  const content = {
    ...{ format: 1, generator: "0", options: {}, inputs: {}, files: hashed(manifest.files) },
    ...(manifest.writing && { writing: hashed(manifest.writing) }),
  };
  attempt(() => writeFileSync(join(root, manifestFile), JSON.stringify(content), { flag: "wx" }));
}

/** Writes to a folder as the commands do, with names from a repository. */
function run(root: string, user: string, { changes, out, force, way }: Tree): void {
  const folder = out.startsWith("ABSOLUTE") ? absolute(out, user) : join(root, out);
  const all = changes.map((change) => ({ ...change, path: absolute(change.path, user) }));
  if (way === "files") return writeFiles(WriteRoot.ofProject(folder, root), all);
  // Naming a folder elsewhere is the user's own choice; so is --force.
  if (way === "named") return writeFiles(WriteRoot.named(join(root, "x"), root), all);
  const planned = new Map(all.flatMap(({ path: at, content }) => (content === null ? [] : [[at, content]])));
  const target = WriteRoot.ofProject(folder, root);
  const before = readManifest(folder);
  const plan = planOutput(
    compareOutput(folder, planned, before, () => false),
    { force },
  );
  if (plan.some(({ action }) => action === "CONFLICT")) return;
  const manifest: Manifest = {
    ...{ generator: "1", options: {}, shared: {}, inputs: {} },
    files: recordedFiles(planned, before, () => false),
  };
  writeFileSets([planSet(target, plan, before, manifest)]);
}

/** Swaps a folder for a link. The other program only changes the project, and never Git's folder. */
function swapped(root: string, at: string, user: string): void {
  const place = join(root, at);
  const [first] = relative(root, realpathSync(dirname(place))).split(sep);
  if (first === ".." || first === ".git") return;
  renameSync(place, `${place}-moved`);
  symlinkSync(user, place);
}

/** Errors of system calls have a code, and deliberate refusals are coded errors. */
function isExpected(error: unknown): boolean {
  return error instanceof CodedError || typeof (error as NodeJS.ErrnoException).code === "string";
}

function tried(each: Tree): "written" | "refused" {
  const folder = join(base, String(++count));
  const [root, user] = [join(folder, "project"), join(folder, "user")];
  for (const [at, text] of Object.entries(theirs)) {
    mkdirSync(dirname(join(user, at)), { recursive: true });
    writeFileSync(join(user, at), text);
  }
  mkdirSync(root, { recursive: true });
  plant(root, user, each);
  const [before, git] = [snapshot(user), snapshot(join(root, ".git"))];
  const beside = readdirSync(folder);
  const { swap } = each;
  let result: "written" | "refused" = "written";
  try {
    stepped(
      () => run(root, user, each),
      (step) => {
        if (step === swap?.step) attempt(() => swapped(root, swap.at, user));
      },
    );
  } catch (error) {
    expect(isExpected(error), String(error)).toBe(true);
    result = "refused";
  }
  expect(snapshot(user)).toBe(before);
  expect(snapshot(join(root, ".git"))).toBe(git);
  expect(readdirSync(folder)).toEqual(beside);
  rmSync(folder, { recursive: true, force: true });
  return result;
}

/** A folder that this run created is swapped, and the run fails later and removes what it wrote. */
const swappedThenRefused: Tree = {
  ...{ entries: [], planted: [], manifest: undefined, out: ".", force: false, way: "files" },
  changes: ["x/b.txt/a.txt", "x/a.txt/a.txt", "a.txt/a.txt", "a.txt"].map((each) => ({
    path: each,
    content: "new",
    isPrivate: false,
  })),
  swap: { step: 4, at: "x" },
};

test("no file outside of a project changes, and no file of Git, whatever the project contains", () => {
  const results = { written: 0, refused: 0 };
  fc.assert(
    fc.property(tree, (each) => void results[tried(each)]++),
    { seed, numRuns: cases(10_000), examples: [[swappedThenRefused]] },
  );
  // Enough of the runs are refused, and enough of them write something.
  expect(Math.min(results.written, results.refused)).toBeGreaterThan(cases(10_000) / 20);
});
