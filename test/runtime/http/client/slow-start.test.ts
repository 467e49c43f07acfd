import { VirtualClock } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { type Incoming, clientOf, scripted } from "../../../support/scripted-http-server.js";

const modern = "2026-07-28";
const legacy = "2025-11-25";

// Over HTTP the client waits for the answer, so that a slow server of both eras is not treated as a legacy server.
test("a late answer to the probe decides over HTTP", async () => {
  const clock = new VirtualClock();
  let probe: Incoming | undefined;
  const server = await scripted(modern, {
    "server/discover": (incoming) => void (probe = incoming),
    initialize: (incoming) =>
      incoming.reply({
        protocolVersion: legacy,
        capabilities: {},
        serverInfo: { name: "slow", version: "1" },
      }),
  });
  const connecting = clientOf(server.url, { clock });
  await server.until("server/discover");
  await clock.advance(10_000);
  probe!.reply(server.result({ supportedVersions: [modern, legacy], capabilities: {} }));
  expect((await connecting).revision).toBe(modern);
  expect(server.of("initialize")).toEqual([]);
});

test("an unanswered probe over HTTP leads to the handshake after half of timeouts.connect", async () => {
  const clock = new VirtualClock();
  const server = await scripted(legacy, { "server/discover": () => undefined });
  const connecting = clientOf(server.url, { clock, timeouts: { connect: 20_000 } });
  await server.until("server/discover");
  await clock.advance(10_000);
  expect((await connecting).revision).toBe(legacy);
});
