import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { ajvFor } from "../support/ajv-verdicts.js";
import { answersTo, sentIn } from "../support/schema-changes/document.js";
import type { Conversation } from "./conversation.js";
import { type Exchange, type Frame, next } from "./trial.js";

/** The messages of a conversation, requests with their responses. */
export interface Judged {
  /** Messages that their revision does not describe. */
  readonly invalid: readonly string[];
  /** Requests that got a result. */
  readonly answered: readonly Exchange[];
  /** Requests that got an error. */
  readonly refused: readonly string[];
}

/** Judges each message by the published schema of its revision, through ajv. */
export function judged({ session }: Conversation, document: JsonObject): Judged {
  const describes = verdictsOf(document);
  const sent = sentIn(document);
  const pending = new Map<string, { request: Frame; from: string }>();
  const invalid: string[] = [];
  const answered: Exchange[] = [];
  const refused: string[] = [];
  const report = (what: string, frame: Frame): void => void invalid.push(`${what}: ${JSON.stringify(frame)}`);
  for (const { from, text } of session) {
    const frame = JSON.parse(text) as Frame;
    const method = frame["method"];
    if (typeof method === "string") {
      const row = sent.find((each) => each.method === method && each.sender === from);
      if (!row) report(`no ${method} of a ${from}`, frame);
      else if (!describes(row.definition, frame)) report(row.definition, frame);
      if ("id" in frame) pending.set(`${from} ${JSON.stringify(frame["id"])}`, { request: frame, from });
      continue;
    }
    const other = from === "client" ? "server" : "client";
    const asked = pending.get(`${other} ${JSON.stringify(frame["id"])}`);
    if (!asked) {
      report("answer to nothing", frame);
      continue;
    }
    const name = String(asked.request["method"]);
    if (!("result" in frame)) {
      refused.push(`${name}: ${JSON.stringify(frame["error"])}`);
      continue;
    }
    const row = sent.find((each) => each.method === name && each.sender === asked.from);
    const answers = row ? answersTo(document, row) : [];
    const result = frame["result"] as Frame;
    if (!answers.some((definition) => describes(definition, result as JsonValue)))
      report(answers.join(" or "), frame);
    answered.push({ method: name, request: asked.request, result });
  }
  return { invalid, answered, refused };
}

/** Figures about a client of a new revision: its answered calls, and its and the server's losses. */
export interface Figures {
  /**
   * The number of calls for which the client of the previous revision got a result, and whose methods both revisions
   * have.
   */
  readonly calls: number;
  /** The number of those calls for which the client of the new revision got a result. */
  readonly served: number;
  /** Each reported place, with its outcome. */
  readonly losses: readonly string[];
}

/** Counts the calls at a new revision that are answered as at the previous one. */
export function figuresOf(
  before: Judged,
  now: Judged,
  { losses }: Conversation,
  document: JsonObject,
): Figures {
  const known = new Set(sentIn(document).map(({ method }) => method));
  const answersOf = ({ answered }: Judged, method: string): number =>
    answered.filter((each) => each.method === method).length;
  const methods = [...new Set(before.answered.map(({ method }) => method))].filter((each) => known.has(each));
  const rows = methods.map((method) => {
    const calls = answersOf(before, method);
    return { calls, served: Math.min(calls, answersOf(now, method)) };
  });
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    served: rows.reduce((sum, { served }) => sum + served, 0),
    losses: [...new Set(losses.map(({ pointer, how }) => `${pointer.replace(/\/\d+/g, "/*")} ${how}`))],
  };
}

/** The figures of several trials, one a line. */
export function figuresTable(figures: ReadonlyMap<string, Figures>): string {
  const width = Math.max(...[...figures.keys()].map((name) => name.length));
  return [...figures]
    .map(
      ([name, { calls, served, losses }]) =>
        `${name.padEnd(width)}  ${String(served).padStart(3)} of ${calls}  ${losses.length === 0 ? "nothing lost" : losses.join(", ")}`,
    )
    .join("\n");
}

/** The validators of a document are compiled once. */
const verdicts = new WeakMap<JsonObject, ReturnType<typeof ajvFor>>();

function verdictsOf(document: JsonObject): ReturnType<typeof ajvFor> {
  const known = verdicts.get(document) ?? ajvFor(document["$defs"] as JsonObject);
  verdicts.set(document, known);
  return known;
}

/**
 * The messages of a client of a released revision, without values that differ from run to run, and without the added
 * revision.
 */
export function comparable({ session }: Conversation, added = next): string[] {
  return session.map(({ from, text }) => {
    const frame = JSON.parse(text, (key, value: JsonValue) =>
      key === "requestState" || key === "elicitationId"
        ? "made at random"
        : key === "supportedVersions" || key === "supported"
          ? (value as string[]).filter((id) => id !== added)
          : value,
    ) as JsonValue;
    return `${from} ${JSON.stringify(frame)}`;
  });
}
