import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import {
  type EventStore,
  MemoryEventStore,
  type MissedEvents,
} from "../../../../runtime/core/legacy/http/event-store.js";
import { adapters, serve } from "../../../support/http-adapters.js";
import { Party, messagesOf } from "../../../support/raw-http-client.js";

const count = 40;

/** Keeps events elsewhere: its promises settle later, and out of order. */
class RemoteEvents implements EventStore {
  readonly #memory = new MemoryEventStore();
  #calls = 0;
  fails: "append" | "after" | undefined;

  append(session: string, stream: string, data: string): Promise<string> {
    return this.#settled("append", this.#memory.append(session, stream, data));
  }

  after(session: string, event: string): Promise<MissedEvents | undefined> {
    return this.#settled("after", this.#memory.after(session, event));
  }

  drop(session: string): Promise<void> {
    return this.#settled(undefined, this.#memory.drop(session));
  }

  async #settled<T>(what: string | undefined, value: T): Promise<T> {
    for (let turns = (this.#calls++ * 7) % 5; turns >= 0; turns--)
      await new Promise((resolve) => setImmediate(resolve));
    if (what !== undefined && this.fails === what) throw new Error(`no connection for ${what}`);
    return value;
  }
}

/** A server whose tool reports progress before its answer. */
function counting(): ReturnType<typeof createServer> {
  const server = createServer(
    { name: "counting", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("count", {}, async (_, { progress }) => {
    for (let at = 1; at <= count; at++) {
      progress(at, count, String(at));
      if (at % 9 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return "done";
  });
  return server;
}

const expected = [...Array.from({ length: count }, (_, index) => String(index + 1)), "answer"];
const textsOf = (answer: Parameters<typeof messagesOf>[0]): string[] =>
  messagesOf(answer).map(({ params }) => (params?.["message"] as string) ?? "answer");

describe.each(adapters)("an event store that returns promises, %s", (adapter) => {
  test.each(["2025-11-25", "2025-06-18"])("keeps the order of a stream at %s", async (revision) => {
    const { url } = await serve(adapter, counting(), { events: new RemoteEvents(), keepAliveMs: 0 });
    const client = await new Party(url, revision).open();
    const answer = await client.post(client.call("count", {}, { _meta: { progressToken: 1 } }));
    await answer.whole();
    expect(textsOf(answer)).toEqual(expected);
    const ids = answer.events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const again = await client.get({ "last-event-id": ids[revision === "2025-11-25" ? 5 : 4]! });
    await again.whole();
    expect(textsOf(again)).toEqual(expected.slice(5));
  });

  test("continues a running stream on other connections, with each event exactly once", async () => {
    const { url } = await serve(adapter, counting(), { events: new RemoteEvents(), keepAliveMs: 0 });
    const client = await new Party(url, "2025-11-25").open();
    let answer = await client.post(client.call("count", {}, { _meta: { progressToken: 1 } }));
    const got: string[] = [];
    for (let cuts = 0; ; cuts++) {
      const enough = cuts < 6 ? 3 : Infinity;
      const isLast = (): boolean => textsOf(answer).includes("answer");
      await answer.until(({ events }) => isLast() || events.length >= enough);
      answer.cut();
      got.push(...textsOf(answer));
      if (isLast()) break;
      answer = await client.get({ "last-event-id": answer.events.findLast(({ id }) => id)!.id! });
    }
    expect(got).toEqual(expected);
  });

  test("may return results with a function `then`, but are not promises, keeps the order of a stream", async () => {
    const remote = new RemoteEvents();
    const thenable = <T>(value: Promise<T>): Promise<T> =>
      ({ then: (...both: Parameters<Promise<T>["then"]>) => value.then(...both) }) as Promise<T>;
    const events: EventStore = {
      append: (...given) => thenable(remote.append(...given)),
      after: (...given) => thenable(remote.after(...given)),
      drop: (session) => thenable(remote.drop(session)),
    };
    const { url } = await serve(adapter, counting(), { events, keepAliveMs: 0 });
    const client = await new Party(url, "2025-11-25").open();
    const answer = await client.post(client.call("count", {}, { _meta: { progressToken: 1 } }));
    await answer.whole();
    expect(textsOf(answer)).toEqual(expected);
    const again = await client.get({ "last-event-id": answer.events[5]!.id! });
    await again.whole();
    expect(textsOf(again)).toEqual(expected.slice(5));
  });

  test("delivers without ids while it fails, and answers a resumption with 503", async () => {
    const events = new RemoteEvents();
    const { url } = await serve(adapter, counting(), { events, keepAliveMs: 0 });
    const client = await new Party(url, "2025-11-25").open();
    events.fails = "append";
    const answer = await client.post(client.call("count", {}, { _meta: { progressToken: 1 } }));
    await answer.whole();
    expect(textsOf(answer)).toEqual(expected);
    expect(answer.events.some(({ id }) => id)).toBe(false);
    events.fails = "after";
    const resumed = await client.get({ "last-event-id": "0-1-x" });
    expect(resumed.status).toBe(503);
  });
});
