// A proxy cuts every event stream at random moments, and each request goes to the next of four nodes: no event is lost, none
// comes twice, all come in order. MCPGEN_SEED draws the moments. The short form cuts after 20 to 400 ms, and the client comes
// back after 20 ms; MCPGEN_SHARE=1 sends 1,000,000 events (or MCPGEN_EVENTS), cuts after 1 to 20 s, and the client comes
// back after 1 s.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { randomFrom } from "../engines/cluster.mjs";
import { noRedis, startRedis } from "../engines/redis.mjs";
import { isThorough, seed } from "../support/cases.mjs";
import { Nodes } from "./nodes.mjs";
import { startProxy } from "./proxy.mjs";
import { storeEnv } from "./shared-store.mjs";

const program = fileURLToPath(new URL("programs/worker.mjs", import.meta.url));
const events = Number(process.env.MCPGEN_EVENTS ?? (isThorough ? 1_000_000 : 1200));
const [shortest, longest, clients] = isThorough ? [1000, 20_000, 40] : [20, 400, 3];
/** Events of one call. The log keeps the last 256 of a session: a client that is away for a whole call loses none. */
const steps = 200;

test(
  `${events} events over streams that are cut: none is lost, none comes twice, in order`,
  { skip: noRedis },
  async (t) => {
    const random = randomFrom(seed);
    const { socket, stop } = await startRedis();
    t.after(stop);
    const env = storeEnv("ioredis", socket);
    const nodes = new Nodes(program, env);
    await nodes.start(4);
    let cuts = 0;
    const cut = (response) => {
      const timer = setTimeout(
        () => {
          cuts++;
          response.destroy();
        },
        shortest + random() * (longest - shortest),
      );
      response.on("close", () => clearTimeout(timer));
    };
    const proxy = await startProxy({ ports: nodes.ports, cut });
    const open = [];
    t.after(async () => {
      await Promise.all(open.map((client) => client.close()));
      await proxy.close();
      await nodes.end();
    });
    let left = Math.ceil(events / steps);
    const drive = async (number) => {
      const options = { revisions: clientRevisions, revision: "2025-11-25", onEvent: () => true };
      const client = await connect(proxy.url, options);
      open.push(client);
      while (left-- > 0) {
        const key = `${number} ${left}`;
        const seen = [];
        const onProgress = ({ message }) => void seen.push(message);
        const ms = isThorough ? 40 : 4;
        const { content } = await client.callTool(
          "steps",
          { key, steps, ms },
          { onProgress, timeout: 600_000 },
        );
        assert.equal(content[0].text, `done ${key}`);
        assert.deepEqual(
          seen,
          Array.from({ length: steps }, (_, index) => `${key} ${index + 1}`),
        );
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => drive(number)));
    t.diagnostic(`${events} events, ${cuts} cuts, ${[...proxy.given.values()].join(" + ")} requests`);
    assert.ok(cuts > 0, "no stream was cut");
  },
);
