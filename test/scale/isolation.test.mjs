// Principals on four nodes that share Redis: the token of one gives no access to the other's data, at any node.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { randomFrom } from "../engines/cluster.mjs";
import { noRedis } from "../engines/redis.mjs";
import { isThorough, seed } from "../support/cases.mjs";
import { Stream, call, openSession, send } from "./raw-requests.mjs";
import { tenants } from "./tenants.mjs";
import { commandsDuring } from "./usage.mjs";

const options = { skip: noRedis, timeout: 300_000 };
const random = randomFrom(seed);

const four = tenants();

/** A session of ada whose call waits for an answer at the first node. */
async function asking() {
  const session = await openSession(four.ports[0], "ada");
  const stream = await Stream.open(four.ports[0], {
    token: "ada",
    session,
    body: call(1, "ask", { key: "ada" }),
  });
  const [, id] = await stream.until(/"id":"([^"]+)","method":"elicitation\/create"/);
  const [, event] = await stream.until(/^id: (\S+)$/m);
  return { session, stream, id, event };
}

const answerOf = (name) => ({ action: "accept", content: { name } });

test("a session, its events and its end are closed to other principals, at each node", options, async () => {
  const { session, stream, id, event } = await asking();
  const own = await openSession(four.ports[0], "bob");
  for (const port of four.ports)
    await send(port, { token: "bob", session: own, body: call(1, "echo", { key: "b" }) });
  const attempts = [
    [404, { session, body: call(2, "echo", { key: "stolen" }) }],
    [404, { session, body: { method: "notifications/cancelled", params: { requestId: 1 } } }],
    [404, { session, body: { id, result: answerOf("Bob") } }],
    [404, { session, method: "GET" }],
    [404, { session, method: "GET", last: event }],
    [404, { session, method: "DELETE" }],
    // In the session of bob.
    [400, { session: own, method: "GET", last: event }],
    [400, { session: own, body: { id, result: answerOf("Bob") } }],
  ];
  for (const port of four.ports) {
    for (const [status, attempt] of attempts) {
      const reply = await send(port, { token: "bob", ...attempt });
      assert.equal(reply.status, status, `${port} ${JSON.stringify(attempt)}: ${reply.text}`);
      assert.doesNotMatch(reply.text, /ada|Go on/);
    }
    assert.equal((await send(port, { session, body: call(3, "echo", { key: "no token" }) })).status, 401);
    assert.equal((await send(port, { session, method: "GET", last: event })).status, 401);
    // The answer names a request of bob's session, so ada's request keeps waiting.
    const cancel = { method: "notifications/cancelled", params: { requestId: 1 } };
    assert.equal((await send(port, { token: "bob", session: own, body: cancel })).status, 202);
  }
  assert.deepEqual(
    stream.messages.map(({ method }) => method),
    ["elicitation/create"],
  );
  // Its owner goes on at another node.
  const { status } = await send(four.ports[3], {
    token: "ada",
    session,
    body: { id, result: answerOf("Ada") },
  });
  assert.equal(status, 202);
  await stream.until(/"text":"ada: accept Ada"/);
});

test("forged answers do not reach a node or cause Redis commands", options, async (t) => {
  const { session, stream, id } = await asking();
  const second = await openSession(four.ports[0], "ada");
  for (const port of four.ports) {
    await send(port, { token: "ada", session, body: call(2, "echo", { key: "known" }) });
    await send(port, { token: "ada", session: second, body: call(2, "echo", { key: "known" }) });
  }
  const [node, number, code] = id.split(".");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const draw = (text) => text[Math.floor(random() * text.length)];
  const changed = (text, letters = alphabet) => {
    const place = Math.floor(random() * text.length);
    const other = [...letters].filter((letter) => letter !== text[place]).join("");
    return text.slice(0, place) + draw(other) + text.slice(place + 1);
  };
  const forgeries = [
    () => `${node}.${number}.${changed(code)}`,
    () => `${changed(node)}.${number}.${code}`,
    () => `${node}.${changed(number, "0123456789abcdefghijklmnopqrstuvwxyz")}.${code}`,
    () => `${node}.${number}.${randomBytes(9).toString("base64url")}`,
    () => `${node}.${number}`,
    () => `${node}.${number}.${code}.`,
    () => `${node}.${number}.${code}`.repeat(50),
    () => Math.floor(random() * 10),
  ];
  const rounds = isThorough ? 10_000 : 500;
  const commands = await commandsDuring(four.monitor, async () => {
    for (let round = 0; round < rounds; round++) {
      const forged = forgeries[round % forgeries.length]();
      const port = four.ports[round % 4];
      const reply = await send(port, {
        token: "ada",
        session,
        body: { id: forged, result: answerOf("Eve") },
      });
      assert.deepEqual([forged, reply.status], [forged, 400]);
      assert.match(reply.text, /unknown-request/);
    }
    // The id is right, but it belongs to another session of the same principal.
    for (const port of four.ports) {
      const body = { id, result: answerOf("Eve") };
      assert.equal((await send(port, { token: "ada", session: second, body })).status, 400);
    }
  });
  t.diagnostic(`${rounds} forged ids: ${JSON.stringify(commands)}`);
  assert.deepEqual(commands, []);
  assert.equal(stream.messages.length, 1);
  await send(four.ports[2], { token: "ada", session, body: { id, result: answerOf("Ada") } });
  await stream.until(/"text":"ada: accept Ada"/);
});
