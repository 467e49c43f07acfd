import { fork } from "node:child_process";
import { once } from "node:events";
import { contenders, floor, legacy, modern, floorValid } from "../contenders.mjs";
import { takeTurns } from "../turns.mjs";

const { server } = contenders().find((one) => one.name === floorValid);

/**
 * The CPU time of a client for each call, with 64 in flight, over pipes. The server is the same for all
 * clients.
 */
export const clientRows = [row("client, 64 in flight", legacy), row("client, 64 in flight, modern", modern)];

function row(name, revision) {
  return { name, unit: "µs", bar: [1.5, floor], measure: (effort) => measureRow(revision, effort) };
}

/** The number of calls in a round. */
const most = 10_000;

async function measureRow(revision, { share, rounds }) {
  const count = Math.ceil(most * share);
  const taking = contenders().filter((one) => one.client !== undefined && one.revisions.includes(revision));
  const clients = new Map();
  for (const one of taking) clients.set(one.name, fork(one.client, [server, revision]));
  const calls = async (client, count) => {
    client.send({ count });
    const [{ spent }] = await once(client, "message");
    return spent / count;
  };
  for (const client of clients.values()) await calls(client, 2 * most);
  const spent = await takeTurns(taking, rounds, ({ name }) => calls(clients.get(name), count));
  for (const client of clients.values()) {
    client.disconnect();
    await once(client, "exit");
  }
  return spent;
}
