import { isJsonObject } from "@mcpgen/engine";
import { loadSessionFormat } from "../../capture/runtime.js";
import { callRequest } from "../../dev/page/calls.js";
import type { EventStream } from "../../dev/page/event-stream.js";
import { BadRequest, type Reply, type Route, type Routes, jsonReply } from "../../dev/page/page-server.js";
import type { PageSession } from "../../dev/page/page-session.js";
import { questionAnswer } from "../../dev/page/questions.js";

/** What the page can ask the loop for. */
export function routesOf(page: Reply, events: EventStream, session: PageSession): Routes {
  return new Map<string, Route>([
    ["", () => page],
    ["events", (_, response) => void events.open(response)],
    ["offer", () => jsonReply(session.offer)],
    ["recording", () => recordingReply(session)],
    ["message/", (_body, _response, rest) => messageReply(session, Number(rest))],
    ["POST call", (body) => jsonReply(session.call(callRequest(body)))],
    ["POST cancel", (body) => done(session.calls.cancel(memberOf(body, "call", "number")))],
    ["POST answer", (body) => done(session.questions.answer(questionAnswer(body)))],
    ["POST check", (body) => checkReply(session, body)],
    ["POST revision", (body) => done(session.useRevision(revisionOf(body)))],
    ["POST level", (body) => done(session.setLogLevel(memberOf(body, "level", "string")))],
  ]);
}

/** The answer to a request that asks for nothing. */
async function done(work: void | Promise<void>): Promise<Reply> {
  await work;
  return jsonReply({});
}

/** The last connection as a file that `mcpgen validate` and the test kit read. */
async function recordingReply({ wire }: PageSession): Promise<Reply> {
  const { recording } = wire;
  if (!recording)
    throw new BadRequest("the session is too large to be saved; mcpgen dev --stdio --record FILE saves it");
  const format = await loadSessionFormat();
  return {
    ...{ type: "application/x-ndjson; charset=utf-8", body: format(recording) },
    headers: { "content-disposition": 'attachment; filename="session.jsonl"' },
  };
}

function messageReply({ wire }: PageSession, number: number): Reply {
  const text = wire.textOf(number);
  if (text === undefined) throw new BadRequest("the message is not of the last connection");
  return {
    ...{ type: "application/octet-stream", body: text },
    headers: { "content-disposition": `attachment; filename="message-${number}.json"` },
  };
}

function checkReply(session: PageSession, body: unknown): Reply {
  const { schema, content } = isJsonObject(body) ? body : {};
  if (!isJsonObject(schema!) || !isJsonObject(content!))
    throw new BadRequest("expected the objects schema and content");
  return jsonReply({ issues: session.formIssues(schema, content) });
}

function revisionOf(body: unknown): string | undefined {
  const isNewest = isJsonObject(body) && body["revision"] === undefined;
  return isNewest ? undefined : memberOf(body, "revision", "string");
}

interface Types {
  readonly number: number;
  readonly string: string;
}

/** @throws BadRequest the body has no such member */
function memberOf<Type extends keyof Types>(body: unknown, name: string, type: Type): Types[Type] {
  const value = isJsonObject(body) ? body[name] : undefined;
  if (typeof value !== type) throw new BadRequest(`expected the ${type} ${name}`);
  return value as unknown as Types[Type];
}
