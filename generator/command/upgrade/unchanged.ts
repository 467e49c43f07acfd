import { type JsonObject, type JsonValue, canonicalText, isJsonObject, pointerTokens } from "@mcpgen/engine";
import type { Method, ProtocolModel } from "../../model/model.js";
import { answersOf } from "../../model/model.js";
import { responseOf } from "../../model/pairing.js";
import type { Note } from "../../notes/note.js";

/** A revision as it is compared: its model, and its canonical document. */
export interface Side {
  readonly model: ProtocolModel;
  readonly document: JsonValue;
}

/**
 * Whether both revisions say the same of all that a note is about. A note whose subjects are no part of the schema
 * (a header of all requests, a fact about HTTP) may be wrong without a sign: then they do not.
 */
export function saysTheSame(note: Note, before: Side, now: Side): boolean {
  return note.targets.every((target) => {
    const subjects = [before, now].map((side) => subjectsOf(note, target, side));
    const [old, next] = subjects as [readonly string[] | undefined, readonly string[] | undefined];
    if (!old || !next || old.length === 0 || old.join() !== next.join()) return false;
    return next.every((name) => definitionText(before, name) === definitionText(now, name));
  });
}

/** The names of the definitions that a target of a note is about; `undefined` where the schema does not have it. */
function subjectsOf(note: Note, target: string, side: Side): string[] | undefined {
  if (target.startsWith("/")) {
    const [holder, name] = pointerTokens(target);
    if (holder !== "$defs" || name === undefined) return undefined;
    return [name, ...(note.kind === "extends" ? [note.base] : [])];
  }
  const { model } = side;
  if (note.kind === "error") {
    const error = model.errors.find(({ code }) => String(code) === target);
    return error?.definition === undefined ? undefined : [error.definition];
  }
  const method = model.methods.find(({ name }) => name === target);
  return method && definitionsOf(method, model, note);
}

/** The definitions of a message, its params and its answers, and what else the note names. */
function definitionsOf(method: Method, { schema }: ProtocolModel, note: Note): string[] {
  const response = responseOf(schema, method.message);
  const named = note.kind === "subscription" ? [pointerTokens(note.filter)[1] ?? ""] : [];
  const { definition } = method.params;
  return [
    method.message,
    ...(definition === undefined ? [] : [definition]),
    ...answersOf(method),
    ...(response ? [response.name] : []),
    ...named,
  ];
}

function definitionText({ document, model }: Side, name: string): string | undefined {
  const definitions = isJsonObject(document) ? document["$defs"] : undefined;
  const found = definitions !== undefined && isJsonObject(definitions) ? definitions[name] : undefined;
  // A message that a union writes out in place has a definition in the model alone.
  if (found === undefined) return model.schema.definitions.has(name) ? name : undefined;
  return canonicalText(withoutProse(found));
}

/** A schema without what only people read. Members may have the names of keywords. */
export function withoutProse(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutProse);
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {
    if (keyword === "description" && typeof value === "string") return [];
    if (keyword !== "properties" || !isJsonObject(value)) return [[keyword, withoutProse(value)]];
    const members = Object.entries(value).map(([name, member]) => [name, withoutProse(member)] as const);
    return [[keyword, Object.fromEntries(members) as JsonObject]];
  });
  return Object.fromEntries(entries) as JsonObject;
}
