// A principal that knows the ids of another principal's session, request, stream, cursor or state still cannot use
// them.
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { type AuthInfo, jwks, resourceServer } from "@mcpgen/auth/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { minted } from "../../support/auth/secrets.js";
import { claimsFor, resource } from "./requests.js";

const legacy = "2025-11-25";
const modern = "2026-07-28";
const clientInfo = { name: "t", version: "1" };
const elicitation = { form: {} };
const file = "file:///ada.txt";

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: object;
}

/** A server, its owner, and strangers: each sends messages with its own token. */
async function world() {
  const [one, two] = [await authorizationServer(), await authorizationServer()];
  const ran: string[] = [];
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let start!: () => void;
  const started = new Promise<void>((resolve) => (start = resolve));
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      onEvent: () => true,
      lists: { pageSize: 1 },
    },
  );
  const isAda = (context: { readonly auth?: unknown }): boolean => {
    const { issuer, subject } = (context.auth ?? {}) as Partial<AuthInfo>;
    return issuer === one.issuer && subject === "ada";
  };
  const visible = (_: unknown, context: { readonly auth?: unknown }): boolean => isAda(context);
  server.tool("a-first", { visible }, () => "first");
  server.tool("ask", {}, async (_, { ask }) => {
    const { action } = await ask.elicit("sure", {
      message: "Sure?",
      requestedSchema: { type: "object", properties: {} },
    });
    ran.push(`ask ${action}`);
    return `answered: ${action}`;
  });
  server.tool("hidden", { visible }, () => "hidden");
  server.tool("slow", {}, async (_, { signal }) => {
    signal.addEventListener("abort", () => ran.push("aborted"));
    start();
    await released;
    return "slow";
  });
  server.resource(file, { name: "ada" }, () => "text");
  const { http } = resourceServer({
    resource,
    issuers: [jwks(one.issuer, { clientTokens: true }), jwks(two.issuer)],
  });
  const handler = createHttpHandler(server, http);
  onTestFinished(() => handler.close());
  const sender = (token: string) => ({
    async send(message: Sent, headers: Record<string, string> = {}, method = "POST"): Promise<Response> {
      const all = {
        host: "localhost",
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        ...headers,
      };
      const body = method === "POST" ? { body: JSON.stringify({ jsonrpc: "2.0", ...message }) } : {};
      return handler.fetch(new Request("http://localhost/mcp", { method, headers: all, ...body }));
    },
  });
  type Sender = ReturnType<typeof sender>;
  const token = async (claims: Record<string, unknown>, as = one): Promise<string> =>
    minted(await as.sign(claimsFor(as, claims), "at+jwt"));
  const owner = sender(await token({ sub: "ada" }));
  const strangers: Record<string, Sender> = {
    "the same subject at another issuer": sender(await token({ sub: "ada" }, two)),
    "another subject": sender(await token({ sub: "eve" })),
    "a client of that name": sender(await token({ sub: undefined, client_id: "ada" })),
  };
  return { server, owner, strangers, ran, started, release };
}

type World = Awaited<ReturnType<typeof world>>;
type Person = World["owner"];

async function session(person: Person): Promise<Record<string, string>> {
  const params = { protocolVersion: legacy, capabilities: { elicitation }, clientInfo };
  const opened = await person.send({ id: 0, method: "initialize", params });
  const headers = {
    "mcp-session-id": opened.headers.get("mcp-session-id")!,
    "mcp-protocol-version": legacy,
  };
  await person.send({ method: "notifications/initialized" }, headers);
  return headers;
}

/** A request of 2026-07-28. */
function request(
  person: Person,
  method: string,
  params: Record<string, unknown> = {},
  id = 1,
): Promise<Response> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": modern,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": { elicitation },
  };
  const { name, uri } = params;
  const target = name ?? uri;
  const headers: Record<string, string> = {
    "mcp-protocol-version": modern,
    "mcp-method": method,
    ...(typeof target === "string" && { "mcp-name": target }),
  };
  return person.send({ id, method, params: { ...params, _meta } }, headers);
}

/** The messages of an event stream, as they come. */
function messages(response: Response): { until: (text: string) => Promise<string> } {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => reader.cancel().catch(() => undefined));
  let read = "";
  return {
    async until(text) {
      while (!read.includes(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended: ${read}`);
        read += value;
      }
      return read;
    },
  };
}

/** The first message of an event stream that contains a text. */
function dataOf(events: string, text: string): Record<string, unknown> {
  const line = events.split("\n").find((each) => each.startsWith("data:") && each.includes(text))!;
  return JSON.parse(line.slice("data:".length)) as Record<string, unknown>;
}

const each = ["the same subject at another issuer", "another subject", "a client of that name"];

describe.each(each)("%s", (who) => {
  test("does not reach a session by its id", async () => {
    const { owner, strangers, ran, started, release } = await world();
    const stranger = strangers[who]!;
    const headers = await session(owner);
    const running = owner.send(call(5, "slow"), headers);
    await started;
    for (const message of [
      { id: 1, method: "ping" },
      call(2, "a-first"),
      { id: 3, method: "resources/subscribe", params: { uri: file } },
      { id: 4, method: "resources/unsubscribe", params: { uri: file } },
      { method: "notifications/cancelled", params: { requestId: 5 } },
      { id: 5, result: {} },
    ])
      expect((await stranger.send(message, headers)).status, JSON.stringify(message)).toBe(404);
    for (const method of ["GET", "DELETE"])
      expect((await stranger.send({}, headers, method)).status).toBe(404);
    release();
    expect(await (await running).text()).toContain("slow");
    expect(ran).toEqual([]);
  });

  test("does not answer the questions of the server in a session", async () => {
    const { owner, strangers, ran } = await world();
    const headers = await session(owner);
    const stream = messages(await owner.send(call(5, "ask"), headers));
    const { id } = dataOf(await stream.until("elicitation/create"), "elicitation/create");
    const answer = { id: id as number, result: { action: "decline" } };
    expect((await strangers[who]!.send(answer, headers)).status).toBe(404);
    expect(ran).toEqual([]);
    expect((await owner.send({ ...answer, result: { action: "accept", content: {} } }, headers)).status).toBe(
      202,
    );
    expect(await stream.until('"id":5')).toContain("answered: accept");
  });

  test("does not resume a stream by the id of its last event", async () => {
    const { owner, strangers } = await world();
    const stranger = strangers[who]!;
    const [headers, own] = [await session(owner), await session(stranger)];
    const events = await messages(await owner.send(call(5, "ask"), headers)).until("elicitation/create");
    const [, last] = /^id: ?(.+)$/m.exec(events)!;
    const resumed = { "last-event-id": last! };
    expect((await stranger.send({}, { ...headers, ...resumed }, "GET")).status).toBe(404);
    // Nor within its own session.
    expect((await stranger.send({}, { ...own, ...resumed }, "GET")).status).toBe(400);
    await owner.send({}, headers, "DELETE");
  });

  test("a subscription is not ended by the id of its request", async () => {
    const { server, owner, strangers } = await world();
    const filter = { notifications: { resourceSubscriptions: [file] } };
    const stream = messages(await request(owner, "subscriptions/listen", filter, 7));
    await stream.until("acknowledged");
    const cancelled = { method: "notifications/cancelled", params: { requestId: 7 } };
    const headers = { "mcp-protocol-version": modern, "mcp-method": "notifications/cancelled" };
    await strangers[who]!.send(cancelled, headers);
    const own = messages(await request(strangers[who]!, "subscriptions/listen", { notifications: {} }, 7));
    await own.until("acknowledged");
    server.resourceUpdated(file);
    expect(await stream.until("resources/updated")).toContain(file);
    // For another principal, the same id is a different subscription, which selects nothing.
    expect(await Promise.race([own.until("resources/updated"), afterwards()])).toBe("nothing");
  });

  test("sealed state is not accepted", async () => {
    const { owner, strangers, ran } = await world();
    const asked = await request(owner, "tools/call", { name: "ask", arguments: {} });
    const { result } = (await asked.json()) as {
      result: { inputRequests: Record<string, unknown>; requestState: string };
    };
    const inputResponses = Object.fromEntries(
      Object.keys(result.inputRequests).map((key) => [key, { action: "accept", content: {} }]),
    );
    const retry = { name: "ask", arguments: {}, inputResponses, requestState: result.requestState };
    const refused = await (await request(strangers[who]!, "tools/call", retry)).text();
    expect(refused).toContain("it was issued to another client");
    expect(ran).toEqual([]);
    expect(await (await request(owner, "tools/call", retry)).text()).toContain("answered: accept");
  });

  test.each([legacy, modern])("a cursor shows nothing that is hidden from it (%s)", async (revision) => {
    const { owner, strangers } = await world();
    const listed = async (person: Person, cursor?: string): Promise<Record<string, unknown>> => {
      const params = cursor === undefined ? {} : { cursor };
      const response =
        revision === modern
          ? await request(person, "tools/list", params)
          : await person.send({ id: 1, method: "tools/list", params }, await session(person));
      const text = await response.text();
      return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : dataOf(text, '"id":1');
    };
    const names = ({ result }: Record<string, unknown>): string[] =>
      (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    const cursorOf = ({ result }: Record<string, unknown>): string =>
      (result as { nextCursor: string }).nextCursor;
    const first = await listed(owner);
    const second = await listed(owner, cursorOf(first));
    const third = await listed(owner, cursorOf(second));
    expect([first, second, third].flatMap(names)).toEqual(["a-first", "ask", "hidden"]);
    const stranger = strangers[who]!;
    // The cursor belongs to an entry that the stranger can see, too.
    expect(names(await listed(stranger, cursorOf(second)))).toEqual(["slow"]);
    // Cursors of hidden entries are answered like cursors of entries that do not exist.
    const unknown = Buffer.from(JSON.stringify(["tools", "nothing"])).toString("base64url");
    for (const cursor of [cursorOf(first), cursorOf(third), unknown])
      expect(await listed(stranger, cursor)).toMatchObject({ error: { code: -32602 } });
  });
});

test("private results belong to one principal: shared caches do not keep results that depend on the principal", async () => {
  const { owner, strangers } = await world();
  for (const person of [owner, ...Object.values(strangers)])
    expect(await (await request(person, "tools/list")).json()).toMatchObject({
      result: { cacheScope: "private" },
    });
  const read = await request(owner, "resources/read", { uri: file });
  expect(await read.json()).toMatchObject({ result: { cacheScope: "private" } });
  expect(read.headers.get("cache-control") ?? "no-store").toMatch(/no-store|private|no-cache/);
});

function call(id: number, name: string): Sent {
  return { id, method: "tools/call", params: { name, arguments: {} } };
}

/** Resolves when the effects of earlier calls have happened. */
async function afterwards(): Promise<string> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return "nothing";
}
