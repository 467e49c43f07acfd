import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { JsonObject } from "@mcpgen/engine";
import { type Ran, mcpgen } from "../support/in-process.js";
import type { Definitions } from "../support/schema-changes/edits.js";
import { compilerOutput, projectConfig } from "../support/typescript-compiler.js";
import type { Conversation } from "./conversation.js";
import { type Trial, next, pin } from "./trial.js";

const run = promisify(execFile);

/** A copy of the protocol's schemas with an additional revision, and the output for all of them. */
export interface Workspace {
  readonly folder: string;
  /** The output of `upgrade`. */
  readonly upgraded: Ran;
  /** The output of `generate` with the notes of the trial and those that were carried over. */
  readonly generated: Ran;
  /** The schema of the new revision. */
  readonly document: JsonObject;
}

/** Brings the revision of a trial into a copy of the schemas at `folder`, as a person would. */
export async function workspaceOf(trial: Trial, folder: string): Promise<Workspace> {
  cpSync("schema", join(folder, "schema"), { recursive: true });
  cpSync("mcpgen.config.json", join(folder, "mcpgen.config.json"));
  cpSync("generated", join(folder, "generated"), {
    recursive: true,
    filter: (path) => !path.includes("/dist"),
  });
  const document = JSON.parse(readFileSync(`schema/${pin}/schema.json`, "utf8")) as JsonObject;
  trial.change(document["$defs"] as Definitions);
  writeFileSync(join(folder, "next.json"), JSON.stringify(document));
  const upgraded = await mcpgen(folder, ["upgrade", "next.json", "--name", next, "--json"]);
  const notesFile = join(folder, "schema", next, "notes.json");
  const { notes, ...rest } = JSON.parse(readFileSync(notesFile, "utf8")) as { notes: JsonObject[] };
  const about = { reason: "The trial says so.", link: "https://example.com/trial" };
  const added: JsonObject[] = (trial.notes ?? []).map((note) => ({ ...note, ...about }));
  const kept = notes.filter((note) => !trial.deleted?.(note));
  writeFileSync(notesFile, JSON.stringify({ ...rest, notes: [...kept, ...added] }));
  const generated = await mcpgen(folder, ["generate"]);
  return { folder, upgraded, generated, document };
}

/** A copy of the protocol's schemas up to a revision, with their output, as when it was the newest. */
export async function releasedUpTo(revision: string, folder: string): Promise<Ran> {
  const lock = JSON.parse(readFileSync("schema/lock.json", "utf8")) as {
    vocabulary?: string;
    revisions: { readonly [id: string]: JsonObject };
    extensions?: unknown;
  };
  const { extensions: _, vocabulary: __, ...rest } = lock;
  const revisions = Object.entries(lock.revisions).filter(([id]) => id <= revision);
  mkdirSync(join(folder, "schema"), { recursive: true });
  for (const [id] of revisions) cpSync(`schema/${id}`, join(folder, "schema", id), { recursive: true });
  cpSync("schema/docs.json", join(folder, "schema/docs.json"));
  const trimmed = { ...rest, vocabulary: revision, revisions: Object.fromEntries(revisions) };
  writeFileSync(join(folder, "schema/lock.json"), JSON.stringify(trimmed));
  return mcpgen(folder, ["generate"]);
}

/** Brings the next released revision into such a copy. */
export async function bringIn(revision: string, folder: string): Promise<Ran> {
  return mcpgen(folder, ["upgrade", resolve(`schema/${revision}/schema.json`), "--name", revision, "--json"]);
}

/**
 * Runs the conversations of `conversations.ts` with the tables of a workspace, in another process.
 *
 * @param generated the folder of the tables
 * @param words the revision whose names the server uses, if it is not the newest
 */
export async function conversationsWith(generated: string, words?: string): Promise<readonly Conversation[]> {
  // Inside the project, so that packages are found.
  const folder = resolve(`node_modules/.cache/mcpgen-trial-${process.pid}-${++built}`);
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "conversations.mjs");
  try {
    await build({
      entryPoints: ["test/trials/conversations.ts"],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20.19",
      conditions: ["mcpgen-source"],
      alias: { "@mcpgen/protocol": resolve(generated) },
      define: { "process.env.NODE_ENV": '"production"' },
      logLevel: "error",
    });
    const { stdout } = await run(process.execPath, [program, ...(words === undefined ? [] : [words])], {
      maxBuffer: 1 << 28,
    });
    return JSON.parse(stdout) as readonly Conversation[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let built = 0;

/** Examples that are packages have their own dependencies, which are not installed here. */
const isPackage = (example: string): boolean => existsSync(`examples/${example}/package.json`);

/**
 * What the compiler says of the packages, of the examples and of the conversations when they are compiled against a
 * workspace: an error a line, and none where no program has to change.
 *
 * @param generated the folder of the output
 * @param folder where outputs are compiled one after the other: of the next one, only what differs is checked again
 */
export async function typeErrorsWith(generated: string, folder: string): Promise<string[]> {
  const output = join(folder, "generated");
  rmSync(output, { recursive: true, force: true });
  cpSync(generated, output, { recursive: true });
  const examples = readdirSync("examples").filter((example) => !isPackage(example));
  const programs = [
    ...["runtime/**/*.ts", "test/trials/conversations.ts"],
    ...examples.map((example) => `examples/${example}/*.ts`),
  ];
  const said = await compilerOutput(new Map(), {
    ...projectConfig,
    compilerOptions: {
      ...projectConfig.compilerOptions,
      incremental: true,
      tsBuildInfoFile: join(folder, "types.tsbuildinfo"),
      paths: {
        "@mcpgen/protocol": [join(output, "index.ts")],
        "@mcpgen/protocol/*": [join(output, "*.ts")],
      },
    },
    include: [join(output, "**/*.ts"), ...programs.map((path) => resolve(path))],
    exclude: [resolve("**/dist"), resolve("**/node_modules")],
  });
  return said.split("\n").filter((line) => line !== "");
}
