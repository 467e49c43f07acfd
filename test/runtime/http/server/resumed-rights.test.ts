// Resuming the stream of a call returns its result, so the token needs the rights of the call.
import { serverRevisions } from "@mcpgen/protocol";
import { MemoryClusterStore, cluster } from "@mcpgen/cluster";
import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { expect, test } from "vitest";
import { inside } from "../../../support/http-fixture.js";
import { adapters, serve } from "../../../support/http-adapters.js";
import { Party } from "../../../support/raw-http-client.js";

const keys = ["k".repeat(32)];
const revision = "2025-11-25";
const challenge = 'Bearer error="insufficient_scope", scope="files:read"';

const authenticate: NonNullable<ServeHttpOptions["authenticate"]> = ({ header }) => {
  const [user, ...scopes] = (header("authorization") ?? "").split(" ");
  return { principal: user!, auth: { scopes } };
};

const permit: NonNullable<ServeHttpOptions["permit"]> = async (calls, { auth }) => {
  const { scopes: granted } = auth as { readonly scopes: readonly string[] };
  if (calls.every(({ scopes }) => scopes.every((scope) => granted.includes(scope)))) return undefined;
  return { status: 403, headers: { "www-authenticate": challenge } };
};

const strong = { authorization: "ann files:read" };
const weak = { authorization: "ann" };

function guarded() {
  const made = inside({ revisions: serverRevisions, clock: undefined as never });
  const { server, gate } = made;
  const run = async (text: string, progress: (at: number) => void): Promise<string> => {
    progress(1);
    await gate.opened;
    return text;
  };
  server.tool("secret", { scopes: ["files:read"] }, (_, context) => run("the secret", context.progress));
  server.tool("open", {}, (_, context) => run("open to all", context.progress));
  return made;
}

/** Calls a tool, and cuts its stream after the first event. @returns the id of that event */
async function cut(party: Party, tool: string): Promise<string> {
  const call = await party.post(party.call(tool, {}, { _meta: { progressToken: 1 } }));
  const { id } = await call.until(({ events }) => events.find((event) => event.id));
  call.cut();
  return id!;
}

test.each(adapters)("the stream of a call is resumed with the scopes of its tool, %s", async (adapter) => {
  const { server, gate } = guarded();
  const { url } = await serve(adapter, server, { authenticate, permit, keepAliveMs: 0 });
  const party = await new Party(url, revision, strong).open();
  const [scoped, open] = [await cut(party, "secret"), await cut(party, "open")];
  for (const isOver of [false, true]) {
    if (isOver) gate.open();
    const refused = await party.get({ ...weak, "last-event-id": scoped });
    await refused.whole();
    expect([refused.status, refused.headers["www-authenticate"], refused.text]).toEqual([403, challenge, ""]);
  }
  expect(await (await party.get({ ...weak, "last-event-id": open })).whole()).toContain("open to all");
  expect(await (await party.get({ ...strong, "last-event-id": scoped })).whole()).toContain("the secret");
});

test("another node knows the scopes of the stream", async () => {
  const memory = new MemoryClusterStore();
  const made = [guarded(), guarded()];
  const urls = await Promise.all(
    made.map(async ({ server }) => {
      const shared = {
        sessions: sealedSessions({ keys }),
        cluster: cluster({ store: memory.connect(), keys }),
      };
      return (await serve("node", server, { authenticate, permit, keepAliveMs: 0, ...shared })).url;
    }),
  );
  const party = await new Party(urls[0]!, revision, strong).open();
  const scoped = await cut(party, "secret");
  const other = new Party(urls[1]!, revision, strong);
  other.session = party.session!;
  Reflect.set(other, "methods", new Map(Reflect.get(party, "methods") as Map<unknown, string>));
  const refused = await other.get({ ...weak, "last-event-id": scoped });
  await refused.whole();
  expect([refused.status, refused.text]).toEqual([403, ""]);
  const resumed = await other.get({ "last-event-id": scoped });
  made[0]!.gate.open();
  expect(await resumed.whole()).toContain("the secret");
});

test.each(adapters)("only a client that got a question can answer it, %s", async (adapter) => {
  const { server } = guarded();
  const form = { message: "Erase?", requestedSchema: { type: "object", properties: {} } } as const;
  server.tool(
    "erase",
    { scopes: ["files:read"] },
    async (_, { ask }) => (await ask.elicit("sure", form)).action,
  );
  const { url } = await serve(adapter, server, { authenticate, permit, keepAliveMs: 0 });
  const party = await new Party(url, revision, strong, { elicitation: {} }).open();
  const ids: unknown[] = [];
  for (let number = 1; number <= 2; number++) {
    const call = await party.post(party.call("erase", {}));
    const asked = await call.until(({ events }) => events.find(({ data }) => data?.includes("Erase?")));
    const { id } = JSON.parse(asked.data!) as { readonly id: string };
    // Values that an attacker can know without the stream: numbers, and the ids of earlier questions.
    for (const guess of [number, `${number}`, `.${number}`, ...ids])
      await (await party.post({ jsonrpc: "2.0", id: guess, result: { action: "accept" } }, weak)).whole();
    await (await party.post({ jsonrpc: "2.0", id, result: { action: "decline" } }, strong)).whole();
    expect(await call.whole()).toContain("decline");
    ids.push(id);
  }
});
