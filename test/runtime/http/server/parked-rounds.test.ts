import { serverRevisions } from "@mcpgen/protocol";
import { type HandlerContext, createServer } from "@mcpgen/runtime";
import { type HttpOptions, createNodeHandler } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished, test } from "vitest";
import { loopback } from "../../../support/listen.js";
import { type Members, Party } from "../../../support/raw-http-client.js";
import { until } from "../../../support/until.mjs";

const requestedSchema = { type: "object" as const, properties: { ok: { type: "boolean" as const } } };
const form = { message: "?", requestedSchema };
const yes = { action: "accept", content: { ok: true } };

/** A server over HTTP with a tool, and a client that answers forms. */
async function served(handler: (context: HandlerContext) => Promise<string>, options: HttpOptions = {}) {
  const clock = new VirtualClock(1_000_000);
  const warnings: string[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      clock,
      onEvent: (event) => event.type !== "warning" || warnings.push(event.message) > 0,
    },
  );
  server.tool("t", {}, (_, context) => handler(context));
  const node = createNodeHandler(server, { keepAliveMs: 0, ...options });
  const url = await loopback((request, response) => node(request, response));
  onTestFinished(() => node.close());
  const party = new Party(url, "2026-07-28", {}, { elicitation: { form: {} } });
  const call = async (requestState?: unknown, answer: Members = yes): Promise<Members> => {
    const rest = requestState === undefined ? {} : { requestState, inputResponses: { k: answer } };
    const reply = await party.post(party.call("t", {}, rest));
    await reply.whole();
    return { status: reply.status, ...(JSON.parse(reply.text) as Members) };
  };
  const stateOf = ({ result }: Members): unknown => (result as Members)["requestState"];
  return { server, node, clock, party, warnings, call, stateOf, parked: () => server.stats().gauges.parked };
}

test("a server that closes takes rounds of calls that wait here until its grace ends, and says how many it lost", async () => {
  const done: string[] = [];
  const { node, clock, call, stateOf, parked, warnings } = await served(
    async ({ ask }) => {
      try {
        done.push((await ask.elicit("k", form)).action);
        return "thanks";
      } catch (error) {
        done.push((error as { code: string }).code);
        throw error;
      }
    },
    { graceMs: 60_000 },
  );
  const [first, second, third] = [stateOf(await call()), stateOf(await call()), stateOf(await call())];
  const closed = node.close();
  expect(await call()).toMatchObject({ status: 503 });
  expect(await call(first)).toMatchObject({ status: 200, result: { content: [{ text: "thanks" }] } });
  expect(parked()).toBe(2);
  await clock.advance(60_000);
  await closed;
  expect(parked()).toBe(0);
  expect(done).toEqual(["accept", "connection-closed", "connection-closed"]);
  expect(warnings).toEqual(["HTTP: 2 calls that waited for answers of their clients are lost"]);
  expect(await call(second)).toMatchObject({ status: 503 });
  expect(await call(third)).toMatchObject({ status: 503 });
});

test("a server whose calls have all ended closes before its grace ends", async () => {
  const { node, call, stateOf } = await served(async ({ ask }) => (await ask.elicit("k", form)).action, {
    graceMs: 60_000,
  });
  const state = stateOf(await call());
  const closed = node.close();
  expect(await call(state)).toMatchObject({ status: 200 });
  await closed;
});

test("a client that leaves while its round runs cancels it", async () => {
  const seen: string[] = [];
  const { party, call, stateOf, parked } = await served(async ({ ask, signal, progress }) => {
    seen.push((await ask.elicit("k", form)).action);
    // Opens the event stream of the response.
    progress(1);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    seen.push("aborted");
    return "late";
  });
  const state = stateOf(await call());
  expect(parked()).toBe(1);
  const round = party.call("t", {}, { requestState: state, inputResponses: { k: yes } });
  const { params } = round as { params: { _meta: Members } };
  const meta = { ...params._meta, progressToken: 1 };
  const leaving = await party.post({ ...round, params: { ...params, _meta: meta } });
  leaving.cut();
  await until("the abort", () => seen.length === 2);
  expect(seen).toEqual(["accept", "aborted"]);
  expect(parked()).toBe(0);
  expect(await call(state)).toMatchObject({ error: { data: { code: "state-lost", cause: "cancelled" } } });
});

test("without `authenticate`, an address has 32 calls that wait", async () => {
  const { call, parked } = await served(async ({ ask }) => (await ask.elicit("k", form)).action, {
    graceMs: 0,
  });
  for (let count = 0; count < 32; count++) await call();
  expect(await call()).toMatchObject({ error: { data: { code: "asks-limit" } } });
  expect(parked()).toBe(32);
});

test("with `authenticate`, each principal has its share, and its own states", async () => {
  let principal = "ada";
  const { call, stateOf, parked } = await served(
    async ({ ask, auth }) => `${(await ask.elicit("k", form)).action} ${String(auth)}`,
    { graceMs: 0, authenticate: () => ({ principal, auth: `token of ${principal}` }) },
  );
  for (let count = 0; count < 32; count++) await call();
  principal = "bob";
  const state = stateOf(await call());
  principal = "ada";
  expect(await call()).toMatchObject({ error: { data: { limit: "state.parking.perPrincipal" } } });
  expect(await call(state)).toMatchObject({ error: { data: { code: "state-rejected" } } });
  principal = "bob";
  expect(await call(state)).toMatchObject({ result: { content: [{ text: "accept token of bob" }] } });
  expect(parked()).toBe(32);
});
