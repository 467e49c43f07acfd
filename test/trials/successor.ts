// Adds a changed schema as the next revision, like a person who accepts every note that `upgrade` proposes.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { build } from "esbuild";
import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { type Asked, type Report, next, projectOf, upgrade } from "../support/made-up-revision.js";
import { mcpgen } from "../support/in-process.js";
import { definitionsOf, methodOf } from "../support/schema-changes/document.js";
import type { Tables } from "./conversation.js";

/** A revision that was brought in. */
export interface Successor {
  /** The newest released revision and the new one. */
  readonly tables: Tables;
  /** The schema, with the decisions of the notes. */
  readonly document: JsonObject;
  /** The reason why the proposed notes are not accepted, if they are not. */
  readonly refused?: string;
}

/**
 * Brings a schema in.
 *
 * @param before the schema of the newest released revision
 * @returns an error that says why, where `upgrade` refuses the schema
 */
export async function successorOf(document: JsonObject, before: JsonObject): Promise<Successor | Error> {
  const folder = projectOf(document);
  try {
    const { code, stdout } = await upgrade(folder, "--json");
    if (code !== 0) return new Error(stdout);
    const file = join(folder, "schema", next, "notes.json");
    const carried = readFileSync(file, "utf8");
    const notes = withProposals(
      (JSON.parse(carried) as { notes: JsonObject[] }).notes,
      (JSON.parse(stdout) as Report).decisions.flatMap(({ questions }) => questions),
    );
    writeFileSync(file, JSON.stringify({ format: 1, notes }));
    const generated = await mcpgen(folder, ["generate"]);
    const tables = await tablesIn(join(folder, "generated"));
    if (generated.code !== 0) return { tables, document, refused: generated.stderr };
    return { tables, document: asNoted(document, notes, before) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The notes and the proposed ones, with texts at the places where a person has to write one. */
function withProposals(notes: readonly JsonObject[], questions: readonly Asked[]): JsonObject[] {
  const all = [...notes];
  for (const { at, paste } of questions) {
    if (!at.startsWith("/notes/")) continue;
    const [first, ...others] = paste.map(
      (note) => ({ ...note, reason: "It was proposed.", link: "https://example.com/" }) as JsonObject,
    );
    const place = Number(at.slice("/notes/".length));
    if (!first) continue;
    if (Number.isInteger(place)) all[place] = first;
    else all.push(first);
    all.push(...others);
  }
  return all;
}

/**
 * A schema in which the unions list what notes say who sends, and responses without a result have the one that they had: notes
 * that are carried over still say it.
 */
function asNoted(document: JsonObject, notes: readonly JsonObject[], before: JsonObject): JsonObject {
  const copy = structuredClone(document) as JsonObject;
  const definitions = definitionsOf(copy);
  for (const { target, sender } of notes.filter(({ kind }) => kind === "sender")) {
    for (const method of [target].flat() as JsonValue[]) {
      const [name, node] = Object.entries(definitions).find(([, each]) => methodOf(each) === method) ?? [];
      if (name === undefined) continue;
      const kind = "id" in membersOf(node) ? "Request" : "Notification";
      const union = definitions[`${sender === "client" ? "Client" : "Server"}${kind}`];
      if (union) union["anyOf"] = [...((union["anyOf"] as JsonValue[]) ?? []), { $ref: `#/$defs/${name}` }];
    }
  }
  for (const [name, node] of Object.entries(definitionsOf(before))) {
    const response = definitions[name];
    const { result } = membersOf(node);
    if (!response || !name.endsWith("ResultResponse") || result === undefined) continue;
    response["properties"] = { result, ...membersOf(response) };
  }
  return copy;
}

function membersOf(node: JsonObject | undefined): JsonObject {
  const properties = node?.["properties"];
  return isJsonObject(properties) ? properties : {};
}

/** The tables of generated output, as a bundle for production has them. */
async function tablesIn(folder: string): Promise<Tables> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { serverRevisions as server } from "./server.js";
        export { clientRevisions as client } from "./client.js";`,
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    format: "cjs",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  // An imported module would stay in memory as long as the process.
  const module = { exports: {} };
  compileFunction(outputFiles[0]!.text, ["module"])(module);
  return module.exports as Tables;
}
