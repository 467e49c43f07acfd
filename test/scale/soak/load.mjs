// Clients that call at random moments, as a seed draws them. The key of a call names it in its effect and its answer.
import { setTimeout as sleep } from "node:timers/promises";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";

/** The revisions of the clients: sessions, and requests that need none. */
const revisions = ["2025-06-18", "2025-11-25", "2025-11-25", "2026-07-28", "2026-07-28", "2026-07-28"];

const answer = () => ({ action: "accept", content: { name: "Ada" } });

function expect(found, expected) {
  if (found !== expected)
    throw new WrongAnswer(`${JSON.stringify(found)} is not ${JSON.stringify(expected)}`);
}

/** A call ended with an impossible result. */
class WrongAnswer extends Error {
  code = "wrong-answer";
}

/**
 * The actions of clients, with their share of 100. A function gets a client, a key, and random numbers; it resolves
 * when the right answer has come.
 */
export const kinds = {
  plain: {
    share: 60,
    run: async ({ client, key, random }) => {
      const { content } = await client.callTool("work", { key, ms: Math.floor(random() * 50) });
      expect(content[0].text, `done ${key}`);
    },
  },
  list: {
    share: 5,
    run: async ({ client }) => {
      const { tools } = await client.request("tools/list", {});
      const names = new Set(tools.map(({ name }) => name));
      expect(
        ["ask", "steps", "work"].every((name) => names.has(name)),
        true,
      );
    },
  },
  progress: {
    share: 15,
    run: async ({ client, key, random }) => {
      const steps = 10;
      const seen = [];
      const onProgress = ({ message }) => seen.push(message);
      const call = { key, steps, ms: Math.floor(random() * 50) };
      const { content } = await client.callTool("steps", call, { onProgress });
      expect(content[0].text, `done ${key}`);
      const numbers = seen.map((message) => Number(message.slice(key.length)));
      if (numbers.some((number, index) => index > 0 && number <= numbers[index - 1]))
        throw new WrongAnswer(`steps came twice, or not in order: ${numbers.join(" ")}`);
      if (numbers.length < steps) return { lost: steps - numbers.length };
    },
  },
  ask: {
    share: 15,
    run: async ({ client, key, random }) => {
      const steps = 1 + Math.floor(random() * 2);
      const { content } = await client.callTool("ask", { key, steps });
      expect(content[0].text, Array(steps).fill("accept Ada").join(", "));
    },
  },
  connect: {
    share: 5,
    run: async ({ open, key }) => {
      const client = await open();
      try {
        const { content } = await client.callTool("work", { key });
        expect(content[0].text, `done ${key}`);
      } finally {
        await client.close().catch(() => {});
      }
    },
  },
};

/** Calls whose answer needs nothing but the node that gets them. */
export const plainKinds = new Set(["plain", "list"]);

function draw(random) {
  let at = random() * 100;
  return Object.entries(kinds).find(([, { share }]) => (at -= share) < 0)?.[0] ?? "plain";
}

/**
 * Calls until `over` aborts.
 *
 * @param options.pauseMs milliseconds between two calls of a client, in the mean
 * @param options.ended called with each call: `kind`, `key`, `revision`, `began` and `took` in milliseconds, `error`, `lost`
 * @returns `running`: the keys of the calls that have not ended; `done`: resolves when all have
 */
export async function startLoad({ url, random, pauseMs, over, ended }) {
  const running = new Set();
  const open = (revision) =>
    connect(url, { revisions: clientRevisions, revision, elicit: answer, onEvent: () => true });
  const clients = [];
  for (const revision of revisions) clients.push(await open(revision));

  const drive = async (client, number) => {
    const revision = revisions[number];
    for (let count = 0; !over.aborted; count++) {
      const kind = draw(random);
      const key = `${number}.${count}`;
      running.add(key);
      const began = performance.now();
      const call = { kind, key, revision, began };
      try {
        Object.assign(call, await kinds[kind].run({ client, key, random, open: () => open(revision) }));
      } catch (error) {
        call.error = error;
      }
      running.delete(key);
      ended({ ...call, took: performance.now() - began });
      await sleep(random() * 2 * pauseMs, undefined, { signal: over }).catch(() => {});
    }
    await client.close().catch(() => {});
  };
  return { running, done: Promise.all(clients.map(drive)) };
}
