import type { ServeHttpOptions, SessionEvent, SessionOptions } from "@mcpgen/runtime/http";
import { describe, expect, test } from "vitest";
import { type Adapter, adapters, serve } from "../../../support/http-adapters.js";
import { http, inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";
import { SseParty } from "../../../support/raw-sse-client.js";

const revision = "2025-11-25";

/** Each event as one line. */
function recorded(): { readonly lines: string[]; readonly onSession: (event: SessionEvent) => void } {
  const lines: string[] = [];
  const onSession = (event: SessionEvent): void => {
    const reason = event.type === "ended" ? ` ${event.reason}` : "";
    lines.push(`${event.session.id} ${event.type}${reason}`);
  };
  return { lines, onSession };
}

/** Ids in order: s1, s2. */
function numbered(): () => string {
  let last = 0;
  return () => `s${++last}`;
}

async function serving(adapter: Adapter, sessions: SessionOptions, options: ServeHttpOptions = {}) {
  const found = inside();
  const target = await serve(adapter, found.server, { keepAliveMs: 0, ...options, sessions });
  const client = (more = {}) => new Party(target.url, revision, more);
  return { ...found, target, client };
}

describe.each(adapters)("sessions over %s", (adapter) => {
  test("have the ids that the application makes from the result of the handshake", async () => {
    const given: unknown[] = [];
    const generateId: Required<SessionOptions>["generateId"] = (session) => `!${given.push(session)}~`;
    const { party, target } = await http(adapter, revision, { sessions: { generateId } }, { roots: {} });
    expect(party.session).toBe("!1~");
    expect(await party.tool("echo", { text: "x" })).toMatchObject({ content: [{ text: "x" }] });
    expect(given).toMatchObject([
      {
        principal: "",
        revision,
        clientInfo: { name: "raw", version: "1" },
        clientCapabilities: { roots: {} },
        declared: { tools: {} },
        logLevel: "debug",
        subscriptions: [],
      },
    ]);
    const second = await new Party(target.url, revision).open();
    expect(second.session).toBe("!2~");
  });

  test.each<[string, Required<SessionOptions>["generateId"], string]>([
    ["has a space", () => "a b", "expected visible ASCII text of at most 4096 characters"],
    ["is empty", () => "", "expected visible ASCII text of at most 4096 characters"],
    ["is no ASCII", () => "sitzung-ü", "expected visible ASCII text of at most 4096 characters"],
    ["breaks the header", () => "a\r\nb: c", "expected visible ASCII text of at most 4096 characters"],
    ["is too long", () => "x".repeat(4097), "expected visible ASCII text of at most 4096 characters"],
    ["is no text", () => 7 as never, "expected visible ASCII text of at most 4096 characters"],
    ["rejects", () => Promise.reject(new Error("no entropy")), "no entropy"],
  ])("an id that %s makes the handshake fail, and no session remains", async (_, generateId, message) => {
    const { lines, onSession } = recorded();
    const { client, target, warnings } = await serving(adapter, { generateId, onSession });
    const answer = await client().initialize();
    expect([answer.status, answer.headers["mcp-session-id"]]).toEqual([500, undefined]);
    expect(warnings.join()).toContain(message);
    expect([target.sessions.size, lines]).toEqual([0, []]);
  });

  test("an id that is in use makes the handshake fail, and the first session continues", async () => {
    const { client, target, warnings } = await serving(adapter, { generateId: () => "same" });
    const first = await client().open();
    expect((await client().initialize()).status).toBe(500);
    expect(warnings.join()).toContain("sessions.generateId: a session has this id already");
    expect((await first.post(first.message("ping"))).status).toBe(200);
    expect(target.sessions.size).toBe(1);
  });

  test("an id cannot be used before its handshake is answered", async () => {
    let give!: (id: string) => void;
    const id = new Promise<string>((resolve) => (give = resolve));
    const { client, target } = await serving(adapter, { generateId: () => id });
    const party = client();
    const opening = party.open();
    const early = client();
    early.session = "known";
    expect((await early.post(early.message("ping"))).status).toBe(404);
    give("known");
    await opening;
    expect((await early.post(early.message("ping"))).status).toBe(200);
    expect([...target.sessions].map((session) => session.id)).toEqual(["known"]);
  });

  test("are listed with their owners and clients, and ended by id", async () => {
    const { lines, onSession } = recorded();
    const authenticate: ServeHttpOptions["authenticate"] = ({ header }) => {
      const user = header("authorization")!;
      return { auth: user, principal: user };
    };
    const found = await serving(adapter, { generateId: numbered(), onSession }, { authenticate });
    const { client, target, clock, gate, began } = found;
    const before = clock.wallTime();
    const ada = await client({ authorization: "ada" }).open();
    await clock.advance(5000);
    const bob = await client({ authorization: "bob" }).open();
    const running = ada.post(ada.call("gated"));
    await began.opened;
    expect([...target.sessions]).toMatchObject([
      { id: "s1", principal: "ada", revision, clientInfo: { name: "raw" }, requests: 1 },
      { id: "s2", principal: "bob", revision, clientInfo: { name: "raw" }, requests: 0 },
    ]);
    const { created, lastSeen } = target.sessions.get("s1")!;
    expect(lastSeen - created).toBe(5000);
    expect(created).toBe(before);
    expect(await target.sessions.end("s1")).toBe(true);
    expect((await running).status).toBe(503);
    gate.open();
    expect((await ada.post(ada.message("ping"))).status).toBe(404);
    expect((await bob.post(bob.message("ping"))).status).toBe(200);
    expect(await target.sessions.end("s1")).toBe(false);
    expect(target.sessions.get("s1")).toBeUndefined();
    expect(lines).toEqual(["s1 created", "s2 created", "s1 ended ended"]);
  });

  test("report the reason for their end", async () => {
    const { lines, onSession } = recorded();
    const sessions = { generateId: numbered(), onSession, idleMs: 1000 };
    const { client, target, clock } = await serving(adapter, sessions, { limits: { sessions: 2 } });
    const first = await client().open();
    await first.delete();
    await client().open();
    await clock.advance(1);
    await client().open();
    await client().open();
    await clock.advance(999);
    expect(target.sessions.size).toBe(2);
    await clock.advance(1);
    // A sweep ends one; the request for the other comes first.
    const last = client();
    last.session = "s4";
    await clock.advance(1);
    expect((await last.post(last.message("ping"))).status).toBe(404);
    await clock.advance(1000);
    await client().open();
    await target.close();
    expect(lines).toEqual([
      "s1 created",
      "s1 ended deleted",
      "s2 created",
      "s3 created",
      "s2 ended evicted",
      "s4 created",
      expect.stringMatching(/s[34] ended expired/),
      expect.stringMatching(/s[34] ended expired/),
      "s5 created",
      "s5 ended closed",
    ]);
  });

  test("exceptions of a listener are ignored", async () => {
    const onSession = (): never => {
      throw new Error("no disk");
    };
    const { client } = await serving(adapter, { onSession });
    const party = await client().open();
    expect((await party.delete()).status).toBe(204);
  });

  test("a failed handshake creates no session", async () => {
    const { lines, onSession } = recorded();
    const { client, target } = await serving(adapter, { onSession });
    const party = client();
    const answer = await party.post(party.message("initialize", { protocolVersion: 7 }));
    expect(answer.headers["mcp-session-id"]).toBeUndefined();
    expect([target.sessions.size, lines]).toEqual([0, []]);
  });

  test("of HTTP+SSE are listed and reported after their handshake", async () => {
    const { lines, onSession } = recorded();
    const { target } = await serving(adapter, { onSession }, { sse: true });
    const first = await new SseParty(target.url, "2024-11-05").listen();
    const second = await new SseParty(target.url, "2024-11-05").open();
    expect(target.sessions.size).toBe(1);
    const [other] = [...target.sessions];
    await second.request("ping");
    second.stream.cut();
    await expect.poll(() => target.sessions.size).toBe(0);
    const third = await new SseParty(target.url, "2024-11-05").open();
    const [one] = [...target.sessions];
    expect(one).toMatchObject({ revision: "2024-11-05", clientInfo: { name: "raw" }, requests: 0 });
    expect(await target.sessions.end(one!.id)).toBe(true);
    await third.stream.whole();
    first.stream.cut();
    expect(lines).toEqual([
      `${other!.id} created`,
      `${other!.id} ended disconnected`,
      `${one!.id} created`,
      `${one!.id} ended ended`,
    ]);
  });
});
