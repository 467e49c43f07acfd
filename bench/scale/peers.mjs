// Compares the behaviour that a client meets on four nodes without affinity, with servers made with mcpgen
// and with other implementations: `node bench/scale/peers.mjs [NAME]`. It needs test/engines,
// test/portability and bench/runtime installed; see peers/list.mjs for platformatic/mcp.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newFolder } from "../../test/engines/guarded.mjs";
import { startRedis } from "../../test/engines/redis.mjs";
import { checksBelow, runSuite, serverPattern } from "../../test/portability/checks.mjs";
import { Nodes } from "../../test/scale/nodes.mjs";
import { startProxy } from "../../test/scale/proxy.mjs";
import { Stream, call, openSession, send } from "../../test/scale/raw-requests.mjs";
import { freePorts } from "../../test/support/free-ports.mjs";
import { peers, program } from "./peers/list.mjs";

const revision = "2025-11-25";
/** Conformance scenarios whose tools every peer offers. */
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "server-sse-multiple-streams",
];

/**
 * Sends a request; returns its status and the text of the stream up to `until`. If the connection breaks, the
 * status is the error code.
 */
async function tried(port, options, longest = 8000) {
  const failed = (error) => ({ status: error.code ?? error.message, text: "" });
  const late = sleep(longest, { status: "no end", text: "" }, { ref: false });
  return Promise.race([send(port, options).catch(failed), late]);
}

/** Describes the end of a call: its text, the code of a protocol error, or only the HTTP status. */
function verdict({ status, text }) {
  const answer = /"text":"([^"]*)"/.exec(text)?.[1];
  if (answer) return /simple text/.test(answer) ? "result" : answer;
  const code = /"error":\{"code":(-?\d+)/.exec(text)?.[1];
  return code ? `${status}, ${code}` : String(status);
}

/** Runs checks of the public conformance suite on so many nodes; returns how many of them succeed. */
async function checks(peer, count, env) {
  const nodes = new Nodes(program(peer), env);
  await nodes.start(count);
  const proxy = await startProxy({ ports: nodes.ports });
  const folder = newFolder();
  try {
    for (const scenario of scenarios)
      await runSuite(
        ["server", "--url", proxy.url, "--scenario", scenario, "--spec-version", revision],
        join(folder, scenario),
      );
    const scenariosFound = Object.values(await checksBelow(folder, serverPattern));
    const found = scenariosFound.flatMap((each) => Object.values(each).flat());
    return `${found.filter(({ status }) => status === "SUCCESS").length} of ${found.length}`;
  } finally {
    await proxy.close();
    await nodes.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends GET to the first node, the call to the second, and the client's answer to the third. */
async function asked([listens, calls, answers], session) {
  const [listening, calling] = await Promise.all([
    Stream.open(listens, { method: "GET", session }),
    Stream.open(calls, { session, body: call(2, "ask", {}) }),
  ]);
  const question = /^data: (\{.*"method":"elicitation\/create".*\})$/m;
  try {
    // The question arrives on the stream of the call, or on that of GET.
    const found = await Promise.any([listening, calling].map((each) => each.until(question, 4000))).catch(
      () => undefined,
    );
    if (!found) return verdict(calling);
    const result = { action: "accept", content: { name: "Ada" } };
    const answered = await tried(answers, { session, body: { id: JSON.parse(found[1]).id, result } });
    await calling.until(/hello Ada/, 4000).catch(() => {});
    return calling.text.includes("hello Ada") ? verdict(calling) : `answer: ${verdict(answered)}`;
  } finally {
    listening.cut();
    calling.cut();
  }
}

/** Returns the behaviour of a session at other nodes, and after its node has died. */
async function behaviour(peer, env) {
  const nodes = new Nodes(program(peer), env);
  await nodes.start(4);
  const ports = nodes.ports();
  const plain = (port, session, id) =>
    tried(port, { session, body: call(id, "test_simple_text", {}), until: /"result"|"error"/ }).then(verdict);
  try {
    const session = await openSession(ports[0]);
    const invented = await plain(ports[1], "0a1b2c3d-0000-4000-8000-000000000000", 0);
    const elsewhere = await plain(ports[1], session, 1);
    const ask = await asked(ports, session);
    const second = await openSession(ports[0]);
    const dying = tried(ports[0], { session: second, body: call(4, "slow", {}), until: /"result"|"error"/ });
    await sleep(500);
    await nodes.kill(0);
    return { invented, elsewhere, ask, died: verdict(await dying), after: await plain(ports[1], second, 5) };
  } finally {
    await nodes.end();
  }
}

console.log(
  "peer | checks, 1 node | 4 nodes | invented session id | call at another node | ask over three nodes | node killed | session after",
);
for (const peer of peers.filter(({ name }) => !process.argv[2] || name.startsWith(process.argv[2]))) {
  // Some parts of platformatic do not accept a Unix socket.
  const [port] = (await freePorts(1)).map(String);
  const redis = peer.usesRedis ? await startRedis({ port }) : undefined;
  const env = { ...peer.env, ...(redis && { REDIS_PORT: port }) };
  const counts = [await checks(peer, 1, env), await checks(peer, 4, env)];
  const { invented, elsewhere, ask, died, after } = await behaviour(peer, env);
  console.log([peer.name, ...counts, invented, elsewhere, ask, died, after].join(" | "));
  await redis?.stop();
}
process.exit();
