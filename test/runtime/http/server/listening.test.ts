import { serverRevisions } from "@mcpgen/protocol";
import { expect, test } from "vitest";
import { adapters, serve } from "../../../support/http-adapters.js";
import { inside } from "../../../support/http-fixture.js";
import { listeningTo } from "../../../support/listening-tables.js";
import { Party } from "../../../support/raw-http-client.js";

test.each(adapters)(
  "%s: the tables define which requests are answered by a stream that stays open",
  async (adapter) => {
    for (const [method, status] of [
      ["tools/call", 406],
      ["tools/list", 200],
    ] as const) {
      const { server } = inside({ revisions: listeningTo(method, serverRevisions) });
      const { url } = await serve(adapter, server);
      const party = new Party(url, "2026-07-28");
      const answer = await party.post(party.call("echo", { text: "a" }), { accept: "application/json" });
      expect([method, answer.status]).toEqual([method, status]);
    }
  },
);
