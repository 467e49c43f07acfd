import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { lockFile, lockText, readLock } from "../../generator/revision/lock.js";
import { randomFrom } from "../../generator/sample/values.js";
import { mcpgen } from "../support/in-process.js";
import { shuffledSchema } from "../support/shuffled-schema.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { compilerErrors } from "../support/typescript-compiler.js";
import published from "./published.json" with { type: "json" };

// Generates from every schema of an extension that its authors ever published, and prints the assumptions.

/** A schema as it was published, and the name under which it is added. */
interface Published {
  readonly version: string;
  readonly text: string;
}

interface Subject {
  readonly id: string;
  readonly bases: readonly string[];
}

/** A project with all revisions: a schema may refer to one that it is not compiled over. */
function project(): string {
  const folder = temporaryFolder();
  const lock = readLock("schema");
  for (const revision of lock.keys())
    cpSync(join("schema", revision), join(folder, "schema", revision), { recursive: true });
  writeFileSync(join(folder, "schema", lockFile), lockText({ revisions: lock, extensions: new Map() }));
  return folder;
}

interface Assumed {
  readonly kind: string;
  readonly subject: string;
  readonly text: string;
  /** The revision of the output at which this was assumed. */
  readonly revision?: string;
}

interface Printed {
  readonly action: string;
  readonly definitions: readonly string[];
  readonly methods: readonly object[];
  readonly dropped: readonly string[];
  readonly folds: readonly object[];
  readonly reopened: readonly string[];
  readonly questions: readonly { readonly kind: string; readonly subjects: readonly string[] }[];
  readonly assumptions: readonly Assumed[];
}

/** Runs a command that must end well, and gives the document that it prints. */
async function printed(folder: string, args: readonly string[]): Promise<Printed> {
  const { code, stdout, stderr } = await mcpgen(folder, [...args, "--json"]);
  expect(code, `${args.join(" ")}\n${stderr}`).toBe(0);
  return JSON.parse(stdout) as Printed;
}

/** Adds one schema and generates from it. Gives what both commands print; the output is left in the folder. */
async function report(
  folder: string,
  { id, bases }: Subject,
  { version, text }: Published,
): Promise<string[]> {
  writeFileSync(join(folder, "schema.json"), text);
  const over = bases.flatMap((base) => ["--base", base]);
  const words = ["extension", "add", "schema.json", "--id", id, "--version", version, "--no-descriptions"];
  const added = await printed(folder, [...words, ...over]);
  // The order of members in the file does not affect the result.
  const shuffled = shuffledSchema(JSON.parse(text) as JsonObject, randomFrom(version));
  writeFileSync(join(folder, "schema.json"), JSON.stringify(shuffled));
  const { action, questions } = await printed(folder, [...words, ...over]);
  expect([action, questions]).toEqual(["unchanged", added.questions]);
  const { assumptions } = await printed(folder, ["generate"]);
  const counts = [
    `${added.definitions.length} definitions`,
    `${added.dropped.length} of the base left out`,
    `${added.folds.length} copies`,
    `${added.reopened.length} reopened`,
    `${added.methods.length} methods`,
  ];
  const assumed = [...added.assumptions, ...assumptions].map(
    (one) => `  assumed (${one.kind} of ${one.subject}): ${one.text}`,
  );
  return [
    `${version}: ${counts.join(", ")}`,
    ...added.questions.map(({ kind, subjects }) => `  asked (${kind}): ${subjects.join(", ")}`),
    // Assumptions that are the same over several bases are listed once.
    ...new Set(assumed),
  ];
}

/** The modules in the folder, those of the extension under the name of their version. */
function modules(folder: string, id: string, version: string): Map<string, string> {
  const paths = readdirSync(join(folder, "generated"), { recursive: true, encoding: "utf8" });
  return new Map(
    paths
      .filter((path) => path.endsWith(".ts"))
      .map((path) => [
        path.replace(`extensions/${id}/`, `extensions/${id}-${version}/`),
        readFileSync(join(folder, "generated", path), "utf8"),
      ]),
  );
}

interface Vector {
  readonly validator: string;
  readonly valid: boolean;
  readonly message: unknown;
}

/** Expects that the validators load, and accept only the valid vectors. */
async function expectVerdicts(folder: string, { id, bases }: Subject, version: string): Promise<void> {
  for (const base of bases) {
    const of = join(folder, "generated/extensions", id, base);
    const outfile = join(folder, `${version}-${base}.mjs`);
    await build({ entryPoints: [join(of, "validators.ts")], outfile, bundle: true, format: "esm" });
    const loaded: unknown = await import(/* @vite-ignore */ pathToFileURL(outfile).href);
    const validators = loaded as Readonly<Record<string, (value: unknown) => boolean>>;
    const { vectors } = JSON.parse(readFileSync(join(of, "vectors.json"), "utf8")) as {
      readonly vectors: readonly Vector[];
    };
    expect(vectors.length).toBeGreaterThan(10);
    for (const { validator, valid, message } of vectors)
      expect(validators[`is${validator}`]!(message), `${version} over ${base}: ${validator}`).toBe(valid);
  }
}

/** Tries all schemas of an extension. Returns the output for each. */
async function tryAll(subject: Subject, schemas: readonly Published[]): Promise<string> {
  const folder = project();
  const code = new Map<string, string>();
  const lines: string[] = [];
  for (const schema of schemas) {
    lines.push(...(await report(folder, subject, schema)));
    for (const [path, content] of modules(folder, subject.id, schema.version)) code.set(path, content);
    await expectVerdicts(folder, subject, schema.version);
    const removed = await mcpgen(folder, ["extension", "remove", subject.id]);
    expect(removed.code, removed.stderr).toBe(0);
  }
  for (const { version } of schemas) {
    for (const base of subject.bases)
      expect(code.has(`extensions/${subject.id}-${version}/${base}/validators.ts`)).toBe(true);
  }
  expect(await compilerErrors(code)).toEqual([]);
  return lines.join("\n") + "\n";
}

const downloads = resolve("node_modules/.cache/mcpgen-published");
const { releases } = published;
const files = releases.map(({ version }) => join(downloads, `${version}.json`));
const isThere = files.every((file) => existsSync(file));
const count = releases.length + releases.flatMap(({ sameFile }) => sameFile).length;

test.skipIf(!isThere)(
  `the schemas of ${count} releases of ${published.package} generate` +
    (isThere ? "" : " (skipped: node test/extension/published.mjs downloads them)"),
  async () => {
    const schemas = files.map((file, index) => ({
      version: releases[index]!.version,
      text: readFileSync(file, "utf8"),
    }));
    const text = await tryAll(published, schemas);
    await expect(text).toMatchFileSnapshot("../golden/published/ui.txt");
  },
);

const clone = process.env["MCPGEN_EXT_TASKS"];

/** All versions of the files with that name in a repository, oldest first. */
function committed(folder: string, name: string): Published[] {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
  const commits = git("log", "--all", "--reverse", "--format=%H", "--", `*${name}`).trim().split("\n");
  const all = commits.flatMap((commit) =>
    git("ls-tree", "-r", "--name-only", commit)
      .split("\n")
      .filter((path) => basename(path) === name)
      .map((path): [string, string] => [git("show", `${commit}:${path}`), commit.slice(0, 7)]),
  );
  const first = new Map<string, string>();
  for (const [text, commit] of all) if (!first.has(text)) first.set(text, commit);
  return [...first].map(([text, commit], index) => ({ version: `${index + 1}-${commit}`, text }));
}

test.skipIf(clone === undefined)(
  "every schema in a clone of ext-tasks, named by MCPGEN_EXT_TASKS, generates",
  async () => {
    const subject = { id: "io.modelcontextprotocol/tasks", bases: ["2026-07-28"] };
    const text = await tryAll(subject, committed(clone!, "schema.json"));
    await expect(text).toMatchFileSnapshot("../golden/published/tasks.txt");
  },
);
