import { setTimeout as sleep } from "node:timers/promises";
import { legacy } from "../runtime/contenders.mjs";
import { HttpLoad, headerOf, messageOf } from "../runtime/http-load.mjs";
import { initialize, initialized } from "../runtime/messages.mjs";
import { ProcessUnderTest } from "../runtime/process-under-test.mjs";

/**
 * The newest revision that all contenders support. The source sends 2024-11-05, which mcp-lite does not support.
 */
const revision = legacy;
const opening = JSON.stringify(initialize(revision));
const opened = JSON.stringify(initialized);
const headers = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": revision };
const environment = { NODE_ENV: "production" };

/**
 * Starts a server in a new process, checks its results, and warms it up. Returns what it did then, in
 * `lasting` milliseconds: `{ rate, p99, memory }`, which are requests a second, milliseconds, and bytes at the
 * peak.
 */
export async function takeTurn({ server }, row, { connections, warming, lasting, core }) {
  const process = new ProcessUnderTest(server, { options: ["--http", "--stateless"], environment });
  try {
    const [port] = await process.receive();
    if (core !== undefined) process.pinTo(core);
    const load = await HttpLoad.open(port, connections, headers);
    await load.inTurns(1, (connection) => tryOut(connection, row));
    await run(load, row, warming);
    const done = await run(load, row, lasting);
    const memory = process.peakMemory();
    load.close();
    return { ...done, memory };
  } finally {
    await process.end();
  }
}

async function tryOut(connection, row) {
  for (const { body, judge } of row.requests)
    judge(messageOf(await session(connection, body, (text) => connection.post(text))).result);
}

/** Lets every connection repeat the row for a time; returns requests a second and the latency. */
async function run(load, { requests, pause, all }, milliseconds) {
  const latencies = [];
  let sent = 0;
  const began = performance.now();
  const end = began + milliseconds;
  await load.inTurns(load.size, async (connection) => {
    const post = async (body) => {
      const before = performance.now();
      const answer = await connection.post(body);
      if (all || (body !== opening && body !== opened)) latencies.push(performance.now() - before);
      sent++;
      return answer;
    };
    while (performance.now() < end) {
      for (const { name, body } of requests) {
        const answer = await session(connection, body, post);
        if (isFailure(answer)) throw new Error(`${name} failed:\n${answer}`);
      }
      if (pause > 0) await sleep(pause);
    }
  });
  const seconds = (performance.now() - began) / 1000;
  return { rate: sent / seconds, p99: percentile(latencies, 0.99) };
}

/**
 * Sends one request in its own session, as the source does; returns the answer. If the server keeps
 * sessions, it gets a request to end this one; that request takes its time, but is not counted, since the others have
 * no such request.
 */
async function session(connection, body, post) {
  const id = headerOf(await post(opening), "mcp-session-id");
  connection.join(id);
  await post(opened);
  const answer = await post(body);
  if (id !== undefined) await connection.leave();
  return answer;
}

/** Whether an answer contains an error; the tools' own texts have no such members. */
function isFailure(answer) {
  return answer.includes('"isError":true') || answer.includes('"error":');
}

function percentile(numbers, share) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
