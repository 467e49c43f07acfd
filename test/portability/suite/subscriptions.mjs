import { VirtualClock } from "@mcpgen/testing";
import { ok, same } from "./assert.mjs";
import { newest } from "./party.mjs";

const subscriptionId = "io.modelcontextprotocol/subscriptionId";

/** Streams that listen (2026-07-28, subscriptions). */
export const subscriptions = [
  {
    name: "a subscription is acknowledged first, then notifies of what it names",
    needs: ["across"],
    async run(world) {
      const party = world.raw(newest);
      const wanted = { toolsListChanged: true, resourceSubscriptions: ["note://one"] };
      const answer = await listen(party, wanted, 7);
      same(answer.messages[0].method, "notifications/subscriptions/acknowledged");
      await party.tool("touch", { uri: "note://zwei/für" });
      await party.tool("change");
      await answer.count(3);
      same(
        answer.messages
          .slice(1)
          .map(({ method }) => method)
          .sort(),
        ["notifications/resources/updated", "notifications/tools/list_changed"],
      );
      same(answer.messages[1].params._meta[subscriptionId], 7);
    },
  },
  {
    name: "subscriptions do not depend on each other, and a closed stream ends its own",
    needs: ["across"],
    async run(world) {
      const party = world.raw(newest);
      const [first, second] = [
        await listen(party, { toolsListChanged: true }),
        await listen(party, { toolsListChanged: true }),
      ];
      await first.drop();
      await party.tool("change");
      await second.count(2);
      same([first.messages.length, second.messages.length], [1, 2]);
    },
  },
  {
    name: "only events can answer a subscription",
    async run(world) {
      const party = world.raw(newest);
      const message = party.message("subscriptions/listen", { notifications: {} });
      same((await party.post(message, { accept: "application/json" })).status, 406);
    },
  },
  {
    name: "a server that closes ends subscriptions with their answer",
    needs: ["inside"],
    async run(world) {
      const served = world.serve();
      const party = world.raw(newest, {}, served);
      const answer = await listen(party, { toolsListChanged: true }, "s");
      await served.handler.close();
      await answer.whole();
      same(answer.complete, true);
      const last = answer.messages.at(-1);
      same([last.id, last.result.resultType, last.result._meta[subscriptionId]], ["s", "complete", "s"]);
    },
  },
  {
    name: "a quiet stream shows that it is alive",
    needs: ["inside"],
    async run(world) {
      const clock = new VirtualClock();
      const party = world.raw(newest, {}, world.serve({ clock }, { keepAliveMs: 20_000 }));
      const answer = await listen(party, { toolsListChanged: true });
      const comments = () => answer.text.split("\n\n").filter((block) => block.startsWith(":")).length;
      same(comments(), 0);
      await clock.advance(60_000);
      await answer.until(() => comments() === 3);
      await answer.drop();
      await clock.advance(60_000);
      same(clock.waiting, 0);
    },
  },
  {
    name: "a reader that does not read is cut off, and costs no more",
    needs: ["inside"],
    async run(world) {
      const served = world.serve();
      const party = world.raw(newest, {}, served);
      const uris = Array.from({ length: 20 }, (_, index) => `note://${index}/${"x".repeat(5000)}`);
      const request = party.message("subscriptions/listen", {
        notifications: { resourceSubscriptions: uris },
      });
      const response = await served.send(
        new Request(served.url, {
          method: "POST",
          headers: party.headersOf(request),
          body: JSON.stringify(request),
        }),
      );
      same(response.status, 200);
      for (let round = 0; round < 120; round++) for (const uri of uris) served.server.resourceUpdated(uri);
      // Queued messages still arrive; then the connection ends with an error.
      const reader = response.body.getReader();
      const failed = await (async () => {
        for (;;) if ((await reader.read()).done) return undefined;
      })().catch((error) => error);
      ok(failed instanceof Error, "the stream broke");
    },
  },
];

async function listen(party, notifications, id = undefined) {
  const answer = await party.post(party.message("subscriptions/listen", { notifications }, id));
  same([answer.status, answer.type], [200, "text/event-stream"]);
  return answer.count(1);
}
