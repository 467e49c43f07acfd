import { describe, expect, test } from "vitest";
import { adapters } from "../../checklist/http/adapters.js";
import { http } from "../../checklist/http/fixture.js";

describe.each(adapters)("%s", (adapter) => {
  test("a page can read that the session of its request was ended", async () => {
    const { party, began, gate } = await http(adapter, "2025-11-25");
    const origin = "http://localhost:5173";
    const answering = party.post(party.call("gated"), { origin });
    await began.opened;
    expect((await party.delete()).status).toBe(204);
    const { status, headers } = await answering;
    expect([status, headers["access-control-allow-origin"]]).toEqual([503, origin]);
    gate.open();
  });
});
