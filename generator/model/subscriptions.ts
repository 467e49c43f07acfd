import type { Schema, SchemaNode } from "@mcpgen/engine";
import type { NoteProblem } from "../notes/apply.js";
import type { SubscriptionNote } from "../notes/note.js";
import type { Message } from "./messages.js";
import type { Era, Method, ProtocolModel } from "./model.js";
import type { MethodNotes } from "./notes-by-method.js";
import { conjuncts, hasMember, memberNames, memberNodes } from "./object-view.js";
import { propertyAt } from "./owned.js";

/** What notes say of the subscriptions of a revision. */
export interface Subscriptions {
  /** The requests that are answered only when their streams end. */
  readonly listening: ReadonlySet<string>;
  /** By notification, what selects it. */
  readonly filters: ReadonlyMap<string, Filter>;
}

/** The member of a filter, and the param of the notification whose value the list in it must hold. */
type Filter = Pick<Method, "filter" | "filterKey">;

/**
 * Reads the notes of kinds `listening` and `subscription`; a note without a meaning is a problem.
 *
 * @param base that of an extension, whose members join the filters of the base
 */
export function findSubscriptions(
  era: Era,
  schema: Schema,
  messages: readonly Message[],
  notes: ReadonlyMap<string, MethodNotes>,
  problems: NoteProblem[],
  base?: ProtocolModel,
): Subscriptions {
  const listening = new Set<string>();
  for (const message of messages) {
    const note = notes.get(message.method)?.listening;
    const problem = note && listeningProblem(era, message);
    if (problem) problems.push({ ...problem, note: note!, target: message.method });
    else if (note) listening.add(message.method);
  }
  const requests = messages.filter(({ method }) => listening.has(method));
  const filters = new Map<string, Filter>();
  for (const message of messages) {
    const note = notes.get(message.method)?.subscription;
    if (!note) continue;
    const place = propertyAt(schema, note.filter);
    const isJoining = base?.methods.some((method) => method.listening) ?? false;
    const problem = subscriptionProblem(era, schema, message, note, place?.definition, isJoining || requests);
    if (problem) problems.push({ ...problem, note, target: message.method });
    else
      filters.set(message.method, {
        filter: place!.property,
        ...(note.key !== undefined && { filterKey: note.key }),
      });
  }
  return { listening, filters };
}

type Problem = Pick<NoteProblem, "code" | "message">;

const ofSessions: Problem = {
  code: "MG1203",
  message: "this revision has sessions, and no subscriptions with a filter",
};

function listeningProblem(era: Era, { kind }: Message): Problem | undefined {
  if (kind !== "request") return { code: "MG1202", message: "it is a notification, and no request" };
  return era === "legacy" ? ofSessions : undefined;
}

/**
 * @param definition the one that has the member; absent if there is none
 * @param listening the requests that a filter belongs to; `true`: requests of the base
 */
function subscriptionProblem(
  era: Era,
  schema: Schema,
  { kind, definition: { node } }: Message,
  { filter, key }: SubscriptionNote,
  definition: string | undefined,
  listening: readonly Message[] | true,
): Problem | undefined {
  if (kind === "request") return { code: "MG1202", message: "it is a request, and no notification" };
  if (era === "legacy") return ofSessions;
  if (definition === undefined)
    return { code: "MG1202", message: `the schema has no property of a definition at ${filter}` };
  if (key !== undefined && !memberNodes(schema, node, "params").some((each) => describes(schema, each, key)))
    return { code: "MG1202", message: `its params have no member ${JSON.stringify(key)}` };
  if (listening === true || listening.some((request) => hasFilter(schema, request, definition)))
    return undefined;
  const message = `${filter} is no member of a filter: no request with a note of kind listening has a param of type ${definition}`;
  return { code: "MG1202", message };
}

/** Whether `node` describes the member, itself or in each arm of a union. */
function describes(schema: Schema, node: SchemaNode, name: string): boolean {
  return conjuncts(schema, node).some(
    (part) =>
      hasMember(schema, part, name) ||
      ((part.anyOf ?? part.oneOf)?.every((arm) => describes(schema, arm, name)) ?? false),
  );
}

/** Whether a param of the request, other than `_meta`, is of the type `definition`. */
function hasFilter(schema: Schema, { definition: { node } }: Message, definition: string): boolean {
  const filter = schema.definitions.get(definition)!.node;
  return memberNodes(schema, node, "params").some((params) =>
    memberNames(schema, params)
      .filter((name) => name !== "_meta")
      .flatMap((name) => memberNodes(schema, params, name))
      .some((member) => conjuncts(schema, member).includes(filter)),
  );
}
