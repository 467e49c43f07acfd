import { describe, expect, test } from "vitest";
import { adapters } from "../../../support/http-adapters.js";
import { http } from "../../../support/http-fixture.js";
import { Party, messagesOf } from "../../../support/raw-http-client.js";
import type { WireAnswer } from "../../../support/http-wire.js";

describe.each(adapters)("%s", (adapter) => {
  test("the limit of streams applies to listening ones; requests are still accepted", async () => {
    const { party, target } = await http(adapter, "2025-11-25", { limits: { sessions: 2 } });
    const modern = new Party(target.url, "2026-07-28");
    const listen = (): Promise<WireAnswer> =>
      modern.post(modern.message("subscriptions/listen", { notifications: {} }));
    const [first, second] = [await party.get(), await listen()];
    expect([first.status, second.status]).toEqual([200, 200]);
    for (const refused of [await party.get(), await listen()])
      expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    const stepped = await party.post(party.call("steps", { count: 1 }, { _meta: { progressToken: 1 } }));
    expect(stepped.type).toBe("text/event-stream");
    await stepped.whole();
    second.cut();
    while ((await party.get()).status === 503);
    expect((await listen()).status).toBe(503);
  });

  test("a session may have eight listening streams; the oldest one makes room, and can be resumed", async () => {
    const { party, server } = await http(adapter, "2025-11-25");
    const streams: WireAnswer[] = [];
    for (let count = 0; count < 10; count++) {
      const stream = await party.get();
      await stream.until(({ events }) => events.length > 0);
      streams.push(stream);
    }
    const [first, second, ...others] = streams;
    for (const ended of [first!, second!]) {
      await ended.whole();
      expect([ended.complete, ended.text.endsWith("retry: 1000\n\n")]).toEqual([true, true]);
    }
    server.resourceUpdated("note://one");
    await party.tool("change");
    await others.at(-1)!.until((each) => messagesOf(each).length > 0);
    const again = await party.get({ "last-event-id": first!.events[0]!.id! });
    expect(again.status).toBe(200);
    for (const each of others) each.cut();
  });
});
