import { VirtualClock } from "@mcpgen/testing";
import { same } from "./assert.mjs";

/** How many sessions there are, and how long. */
export const idle = [
  {
    name: "an idle session is forgotten, one with an open stream is not",
    needs: ["inside"],
    async run(world) {
      const clock = new VirtualClock();
      const target = world.serve({ clock }, { sessions: { idleMs: 1000 }, keepAliveMs: 0 });
      const [left, kept] = [
        await world.party("2025-11-25", {}, target),
        await world.party("2025-11-25", {}, target),
      ];
      await kept.get();
      await clock.advance(1500);
      same((await left.post(left.message("ping"))).status, 404);
      same((await kept.request("ping")).result, {});
    },
  },
  {
    name: "at the session limit, the session idle longest makes room",
    needs: ["inside"],
    async run(world) {
      const target = world.serve({}, { limits: { sessions: 2 } });
      const parties = [];
      for (let count = 0; count < 3; count++) parties.push(await world.party("2025-11-25", {}, target));
      const statuses = [];
      for (const party of parties) statuses.push((await party.post(party.message("ping"))).status);
      same(statuses, [404, 200, 200]);
    },
  },
];
