import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { ajvFor } from "../support/ajv-verdicts.js";
import { answersTo, sentIn } from "../support/schema-changes/document.js";
import type { Conversation } from "./conversation.js";
import { type Exchange, type Frame, next } from "./trial.js";

/** The messages of a conversation, requests with what answered them. */
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
  const describes = ajvFor(document["$defs"] as JsonObject);
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

/** What a client of a released revision sends and gets, without what differs from run to run, and without the revision that was added. */
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
