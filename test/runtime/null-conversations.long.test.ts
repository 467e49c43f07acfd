// Null in place of each member of each message of each revision, through a server and a client: null for an optional
// member counts as absent, with an event; null for a required member is always reported.
import type { JsonObject } from "@mcpgen/engine";
import * as of20241105 from "@mcpgen/protocol/2024-11-05/methods";
import * as of20250326 from "@mcpgen/protocol/2025-03-26/methods";
import * as of20250618 from "@mcpgen/protocol/2025-06-18/methods";
import * as of20251125 from "@mcpgen/protocol/2025-11-25/methods";
import * as of20260728 from "@mcpgen/protocol/2026-07-28/methods";
import type { Judge } from "@mcpgen/protocol/model";
import { clientRevisions } from "@mcpgen/protocol";
import { type ClientEvent, type ServerEvent, connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, test } from "vitest";
import { minimalValid } from "../../generator/sample/sample.js";
import { definitionOf } from "../support/definition-names.js";
import { schemaOf } from "../support/revisions.js";
import { type NullPlace, allNull, fullSamples, nullPlaces } from "./null-places.js";
import { type Members, RawClient, clientOf, metaOf, served } from "../support/raw-stdio-client.js";
import {
  ScriptedPeer,
  type Script,
  base,
  connected,
  everything,
  serverInfo,
  standard,
} from "../support/scripted-stdio-server.js";

const tables = {
  "2024-11-05": of20241105,
  "2025-03-26": of20250326,
  "2025-06-18": of20250618,
  "2025-11-25": of20251125,
  "2026-07-28": of20260728,
} as const;

type Revision = keyof typeof tables;
const revisions = Object.keys(tables) as Revision[];
const isModern = (revision: Revision): boolean => revision >= "2026";

type Event = ClientEvent | ServerEvent;

/** Up to 2025-06-18, the definitions of messages do not have it. */
const jsonrpc = "2.0";

/** The outcome of a message. */
interface Outcome {
  /** The value that the application gets; `undefined` if it gets none. */
  readonly given: unknown;
  readonly events: readonly Event[];
}

type Send = (message: JsonObject) => Promise<Outcome>;

/** Tries null in the place of each member behind `below`. @param isLenient whether wrong members count as absent */
async function tryNulls(
  samples: readonly JsonObject[],
  accepts: Judge,
  below: readonly string[],
  send: Send,
  isLenient = false,
): Promise<void> {
  const tried = new Set<string>();
  // Samples differ in some places alone.
  const isNew = ({ withNull }: { readonly withNull: JsonObject }): boolean =>
    tried.size < tried.add(JSON.stringify(withNull)).size;
  for (const sample of samples) {
    const places = nullPlaces(sample, accepts, below);
    for (const place of places)
      if (isNew(place) && !(isLenient && place.isRequired)) await tryNull(place, send);
    const all = allNull(sample, places, accepts);
    if (!all || !isNew(all)) continue;
    const text = JSON.stringify(all.withNull);
    const plain = await send(all.without);
    const { given, events } = await send(all.withNull);
    expect(given, text).toEqual(plain.given);
    const members = events.flatMap((event) => ("members" in event ? event.members : []));
    expect([...members].sort(), text).toEqual([...all.pointers].sort());
  }
  expect(tried.size).toBeGreaterThan(0);
}

async function tryNull({ pointer, isRequired, withNull, without }: NullPlace, send: Send): Promise<void> {
  const text = `${pointer} of ${JSON.stringify(withNull)}`;
  const { given, events } = await send(withNull);
  if (isRequired) {
    if (given !== undefined) expect(events, text).not.toEqual([]);
    return;
  }
  const plain = await send(without);
  expect(plain.given, text).not.toBeUndefined();
  expect(given, text).toEqual(plain.given);
  const ignored = events.filter(({ type }) => type === "nulls-ignored");
  expect(ignored, text).toMatchObject([{ members: [pointer] }]);
}

/**
 * A sample with the optional params that the other side accepts together.
 *
 * @returns `undefined` if the application gets nothing even without them
 */
async function taken(sample: JsonObject, accepts: Judge, send: Send): Promise<JsonObject | undefined> {
  const isTaken = async (message: JsonObject): Promise<boolean> =>
    accepts(message) && (await send(message)).given !== undefined;
  if (await isTaken(sample)) return sample;
  const params = Object.entries((sample["params"] ?? {}) as JsonObject);
  const withParams = (names: ReadonlySet<string>): JsonObject => ({
    ...sample,
    params: Object.fromEntries(params.filter(([name]) => names.has(name))),
  });
  const all = new Set(params.map(([name]) => name));
  const names = new Set(
    [...all].filter((name) => !accepts(withParams(new Set([...all].filter((each) => each !== name))))),
  );
  if (!(await isTaken(withParams(names)))) return undefined;
  for (const name of all)
    if (!names.has(name) && !(await isTaken(withParams(names.add(name))))) names.delete(name);
  return withParams(names);
}

const below = ["params"];

/** Tries messages of a method. @returns whether the application gets them */
async function tryMessages(
  revision: Revision,
  { accepts }: { readonly accepts: Judge },
  send: Send,
): Promise<boolean> {
  const full = fullSamples(revision, accepts).map((sample) =>
    isModern(revision) ? ofRevision(sample) : sample,
  );
  expect(full).not.toEqual([]);
  const found = [];
  for (const sample of full) found.push(await taken(sample, accepts, send));
  const samples = found.filter((sample) => sample !== undefined);
  if (samples.some((sample) => nullPlaces(sample, accepts, below).length > 0))
    await tryNulls(samples, accepts, below, send);
  return samples.length > 0;
}

/** Adds the name of the revision to a modern request. */
function ofRevision(sample: JsonObject): JsonObject {
  const params = (sample["params"] ?? {}) as JsonObject;
  const protocolVersion = "io.modelcontextprotocol/protocolVersion";
  const meta = params["_meta"] as JsonObject | undefined;
  if (meta?.[protocolVersion] === undefined) return sample;
  return {
    ...sample,
    params: { ...params, _meta: { ...meta, [protocolVersion]: metaOf()[protocolVersion] } },
  };
}

const cases = (of: (revision: Revision) => Iterable<string>): (readonly [string, Revision])[] =>
  revisions.flatMap((revision) => [...of(revision)].map((method) => [method, revision] as const));

/** Notifications that the runtime itself handles: no application hears them. */
const own = new Set(["notifications/cancelled", "notifications/progress"]);

const heardIn = (table: ReadonlyMap<string, unknown>): string[] =>
  [...table.keys()].filter((method) => !own.has(method));

describe("a server", () => {
  test.each(cases((revision) => tables[revision].serverReceives.incomingRequests.keys()))(
    "gets a request %s (%s)",
    async (method, revision) => {
      const heard: unknown[] = [];
      const events: Event[] = [];
      const made = served((server) => {
        server.onEvent((event) => events.push(event));
        server.handle(method as "ping", (params) => {
          heard.push(structuredClone(params));
          throw new Error("heard");
        });
      });
      const client = await clientOf(made, revision);
      let count = 0;
      const send: Send = async (message) => {
        for (const list of [heard, events, client.received, client.lines]) list.length = 0;
        const id = `${method} ${count++}`;
        client.send({ jsonrpc, ...message, id });
        await client.answer(id);
        return { given: heard[0], events: events.filter(({ type }) => type !== "handler-error") };
      };
      const definition = tables[revision].serverReceives.incomingRequests.get(method)!;
      expect(await tryMessages(revision, definition, send)).toBe(true);
    },
  );

  test.each(cases((revision) => heardIn(tables[revision].serverReceives.incomingNotifications)))(
    "gets a notification %s (%s)",
    async (method, revision) => {
      const heard: unknown[] = [];
      const events: Event[] = [];
      const made = served((server) => {
        server.onEvent((event) => events.push(event));
        server.on(method, (params) => void heard.push(structuredClone(params)));
      });
      const client = await clientOf(made, revision);
      const send: Send = async (message) => {
        await client.settled();
        for (const list of [heard, events, client.received, client.lines]) list.length = 0;
        client.send({ jsonrpc, ...message });
        await client.settled();
        return { given: heard[0], events: [...events] };
      };
      const definition = tables[revision].serverReceives.incomingNotifications.get(method)!;
      expect(await tryMessages(revision, definition, send)).toBe(true);
    },
  );

  test.each(revisions.filter((revision) => !isModern(revision)))(
    "gets a handshake (%s)",
    async (revision) => {
      const events: Event[] = [];
      const made = served((server) => {
        server.onEvent((event) => events.push(event));
        server.tool("who", {}, (_, { clientInfo, clientCapabilities }) =>
          JSON.stringify({ clientInfo, clientCapabilities }),
        );
      });
      const { accepts } = tables[revision].serverReceives.incomingRequests.get("initialize")!;
      const samples = fullSamples(revision, accepts).map((sample) => ({
        ...sample,
        params: { ...(sample["params"] as JsonObject), protocolVersion: revision },
      }));
      await tryNulls(samples, accepts, below, async (message) => {
        events.length = 0;
        const client = new RawClient(made.server, revision);
        client.send({ jsonrpc, ...message, id: "handshake" });
        if ((await client.answer("handshake")).error) return { given: undefined, events: [...events] };
        client.notify("notifications/initialized");
        const { result } = await client.call("who");
        client.hangUp();
        return { given: result, events: events.filter(({ type }) => !type.startsWith("connection-")) };
      });
    },
  );

  const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;

  test.each(cases((revision) => tables[revision].serverReceives.outgoingRequests.keys()))(
    "gets an answer to %s (%s)",
    async (method, revision) => {
      const events: Event[] = [];
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }];
      const made = served((server) => {
        server.onEvent((event) => events.push(event));
        server.tool("ask", {}, async (_, { ask }) => {
          if (method === "elicitation/create") return JSON.stringify(await ask.elicit("it", form));
          if (method === "roots/list") return JSON.stringify(await ask.roots("it"));
          return JSON.stringify(await ask.sample("it", { messages, maxTokens: 1 }));
        });
      });
      const result = tables[revision].serverReceives.outgoingRequests.get(method)?.result;
      const isAsked = ["elicitation/create", "roots/list", "sampling/createMessage"].includes(method);
      // Others have no answer with members, or belong to tasks.
      if (!isAsked || !result) return;
      const client = await clientOf(made, revision, { elicitation: {}, roots: {}, sampling: {} });
      const right: { readonly [method: string]: Members } = {
        "elicitation/create": { action: "decline" },
        "roots/list": { roots: [] },
        "sampling/createMessage": { role: "assistant", model: "m", content: { type: "text", text: "" } },
      };
      const asRoots = (text: string): string => text.replaceAll("https://", "file:///");
      await tryNulls(
        fullSamples(revision, result.accepts, method === "roots/list" ? asRoots : undefined),
        result.accepts,
        [],
        async (answer) => {
          let answered = await ((): ReturnType<RawClient["call"]> => {
            client.received.length = client.lines.length = events.length = 0;
            client.answers = { [method]: () => ({ result: answer }) };
            return client.call("ask");
          })();
          if (client.isModern) {
            const { requestState } = answered.result!;
            const again = { name: "ask", arguments: {}, requestState };
            const answerWith = (it: unknown) =>
              client.request("tools/call", { ...again, inputResponses: { it } } as Members);
            events.length = 0;
            answered = await answerWith(answer);
            // The handler waits for a right answer.
            const all = [...events];
            if (answered.error) expect((await answerWith(right[method])).error).toBeUndefined();
            events.splice(0, Infinity, ...all);
          }
          // Kept roots would answer the next time.
          client.notify("notifications/roots/list_changed");
          const isRefused = answered.error !== undefined || answered.result!["isError"] === true;
          return { given: isRefused ? undefined : answered.result, events: [...events] };
        },
      );
    },
  );
});

/** A server that declares tasks, too. */
const ofTasks: Script = {
  initialize: (_, { revision }) => ({
    result: {
      protocolVersion: revision,
      capabilities: { ...everything, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo,
    },
  }),
};

/** Members of results that get defaults if they are wrong (2026-07-28, caching; result types). */
const withDefault = new Set(["/ttlMs", "/cacheScope", "/resultType"]);

describe("a client", () => {
  test.each(cases((revision) => tables[revision].clientReceives.outgoingRequests.keys()))(
    "gets a result of %s (%s)",
    async (method, revision) => {
      const { result, payload, page } = tables[revision].clientReceives.outgoingRequests.get(method)!;
      // A stream has no result while it is open; the handshake is tried below.
      if (["initialize", "server/discover", "subscriptions/listen"].includes(method) || payload || !result)
        return;
      const events: Event[] = [];
      let answer: JsonObject;
      const { client, peer } = await connected(
        revision,
        { ...ofTasks, [method]: () => ({ result: answer }) },
        {
          validation: { send: "off" },
          onEvent: (event) => events.push(event),
        },
      );
      const full = fullSamples(revision, result.accepts);
      const samples = full.map((sample) => ({
        ...sample,
        ...("resultType" in sample && { resultType: "complete" }),
        // The next request is to get another result.
        ...("ttlMs" in sample && { ttlMs: 0 }),
      }));
      const asked = tables[revision].serverReceives.incomingRequests.get(method)!;
      const name = definitionOf(revision, asked.accepts);
      const { _meta, ...params } = (minimalValid(schemaOf(revision), name) as Members)["params"] ?? {};
      const accepts: Judge = (value) => result.accepts(value);
      await tryNulls(samples, accepts, [], async (message) => {
        answer = message;
        peer.received.length = 0;
        events.length = 0;
        const given: unknown = await client.request(method as "ping", params).catch(() => undefined);
        const hasDefault = Object.entries(message).some(
          ([name, value]) => value === null && withDefault.has(`/${name}`),
        );
        const lengthOf = (list: unknown): number => (page ? (list as Members)[page.member]?.length : 0);
        // A wrong item of a list is left out: `listTools` and similar methods return it separately.
        const isLeftOut = given !== undefined && lengthOf(given) < lengthOf(message);
        const isRefused = given === undefined || hasDefault || isLeftOut;
        return { given: isRefused ? undefined : given, events: [...events] };
      });
    },
  );

  test.each(cases((revision) => heardIn(tables[revision].clientReceives.incomingNotifications)))(
    "gets a notification %s (%s)",
    async (method, revision) => {
      const heard: unknown[] = [];
      const events: Event[] = [];
      const { client, peer } = await connected(revision, {}, { onEvent: (event) => events.push(event) });
      client.on(method, (params) => void heard.push(structuredClone(params)));
      const send: Send = async (message) => {
        heard.length = events.length = peer.received.length = 0;
        peer.send({ jsonrpc, ...message });
        for (let round = 0; round < 2; round++) await client.callTool("t");
        return { given: heard[0], events: [...events] };
      };
      const definition = tables[revision].clientReceives.incomingNotifications.get(method)!;
      expect(await tryMessages(revision, definition, send)).toBe(true);
    },
  );

  test.each(
    cases((revision) =>
      // Nothing of a ping is read.
      [...tables[revision].clientReceives.incomingRequests.keys()].filter(
        (method) => method !== "ping" && !isModern(revision),
      ),
    ),
  )("gets a request %s (%s)", async (method, revision) => {
    const heard: unknown[] = [];
    const events: Event[] = [];
    const hear = <Answer>(params: unknown, answer: Answer): Answer => {
      heard.push(structuredClone(params));
      return answer;
    };
    const { peer } = await connected(
      revision,
      {},
      {
        validation: { send: "off" },
        elicit: {
          form: (params) => hear(params, { action: "decline" }),
          url: (params) => hear(params, { action: "decline" }),
        },
        sample: {
          answer: (params) =>
            hear(params, { role: "assistant", model: "m", content: { type: "text", text: "x" } }),
          tools: true,
          context: true,
        },
        roots: () => [{ uri: "file:///a" }],
        onEvent: (event) => events.push(event),
      },
    );
    let count = 0;
    const send: Send = async (message) => {
      heard.length = events.length = peer.received.length = 0;
      const { result } = await peer.ask(method, message["params"], `${method} ${count++}`);
      return { given: result && { result, heard: [...heard] }, events: [...events] };
    };
    const definition = tables[revision].clientReceives.incomingRequests.get(method)!;
    expect(await tryMessages(revision, definition, send)).toBe(!method.startsWith("tasks/"));
  });

  test.each(revisions)("gets what a handshake or a discovery answers (%s)", async (revision) => {
    const method = isModern(revision) ? "server/discover" : "initialize";
    const result = tables[revision].clientReceives.outgoingRequests.get(method)!.result!;
    const full = fullSamples(revision, result.accepts);
    const samples = full.map((sample) => ({
      ...sample,
      ...("resultType" in sample && { resultType: "complete" }),
      ...(isModern(revision) ? { supportedVersions: [revision] } : { protocolVersion: revision }),
    }));
    await tryNulls(
      samples,
      (value) => result.accepts(value),
      [],
      async (message) => {
        const events: Event[] = [];
        const peer = new ScriptedPeer(revision, { ...standard, [method]: () => ({ result: message }) });
        const options = { ...base(new VirtualClock()), revisions: clientRevisions, revision };
        const client = await connect(peer.channel, {
          ...options,
          onEvent: (event) => void (event.type.startsWith("connection-") || events.push(event)),
        }).catch(() => undefined);
        const { serverInfo, serverCapabilities, instructions } = client ?? {};
        await client?.close();
        const hasDefault = Object.keys(message).some(
          (name) => message[name] === null && withDefault.has(`/${name}`),
        );
        const given = client && !hasDefault ? { serverInfo, serverCapabilities, instructions } : undefined;
        return { given, events };
      },
      // Faults of a discovery do not prevent the connection.
      isModern(revision),
    );
  });
});
