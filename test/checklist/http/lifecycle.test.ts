import { serverRevisions } from "@mcpgen/protocol";
import { expect } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { http, inside } from "../../support/http-fixture.js";
import { Party, both, messagesOf } from "../../support/raw-http-client.js";
import { serverRow } from "./rows.js";

const anyText = expect.any(String) as string;

serverRow("LIFE-12", "discovery works without anything before it", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const { result } = await party.request("server/discover");
  expect(result!["supportedVersions"]).toContain(revision);
});

serverRow("LIFE-13", "a discovery says how long it may be kept", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const { result } = await party.request("server/discover");
  expect(result).toMatchObject({ ttlMs: expect.any(Number) as number, cacheScope: anyText });
});

serverRow(
  "LIFE-14",
  "-32022 names every version, for those that are served otherwise, too",
  async (revision, adapter) => {
    for (const speaks of [[revision], [revision, "2025-11-25"], [revision, "2025-06-18", "2024-11-05"]]) {
      const { server } = inside({ revisions: { known: serverRevisions, speaks } });
      const { url } = await serve(adapter, server);
      const party = new Party(url, revision);
      for (const version of ["2025-11-25", "2025-03-26", "2099-01-01"]) {
        const message = party.message("tools/list", {
          _meta: { "io.modelcontextprotocol/protocolVersion": version },
        });
        const answer = await party.post(message, { "mcp-protocol-version": version });
        await answer.whole();
        expect(answer.status).toBe(400);
        expect(messagesOf(answer)[0]!.error).toMatchObject({
          code: -32022,
          data: { supported: speaks, requested: version },
        });
      }
    }
  },
);

serverRow("LIFE-14", "it answers a handshake where none is served", async (revision, adapter) => {
  const { server } = inside({ revisions: { known: serverRevisions, speaks: [revision] } });
  const { url } = await serve(adapter, server);
  const found = new Party(url, "2025-11-25");
  for (const [version, requested] of [
    ["2025-11-25", "2025-11-25"],
    ["9".repeat(100_000), "9".repeat(64)],
    [{ a: "x".repeat(100_000) }, undefined],
  ]) {
    const answer = await found.initialize(version as string);
    expect([answer.status, messagesOf(answer)[0]!.error]).toMatchObject([
      400,
      { code: -32022, data: { supported: [revision], ...(requested === undefined ? {} : { requested }) } },
    ]);
    expect(answer.text.length).toBeLessThan(400);
  }
});

serverRow("LIFE-23", "initialize is a method of the old era alone", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const modern = await party.post(party.message("initialize"));
  expect(modern.status).toBe(404);
  const old = new Party(target.url, "2025-11-25");
  expect((await old.initialize()).status).toBe(200);
});

serverRow("LIFE-01", "a version that is served is answered with itself", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.initialize();
  expect(messagesOf(answer)[0]!.result!["protocolVersion"]).toBe(revision);
});

serverRow(
  "LIFE-02",
  "a version that is not served is answered with the newest",
  async (revision, adapter) => {
    const { server } = inside({ revisions: { known: serverRevisions, speaks: [revision] } });
    const { url } = await serve(adapter, server);
    const party = new Party(url, revision);
    for (const version of ["1999-01-01", "2099-01-01", ""]) {
      const answer = await party.initialize(version);
      expect(messagesOf(answer)[0]!.result!["protocolVersion"]).toBe(revision);
    }
  },
);

serverRow(
  "UTIL-02",
  "a ping is answered before initialized, and while tools run",
  async (revision, adapter) => {
    const { party, target, began, gate } = await http(adapter, revision);
    const early = new Party(target.url, revision);
    const answer = await early.initialize();
    early.session = answer.headers["mcp-session-id"] as string;
    expect((await early.request("ping")).result).toEqual({});
    const running = party.post(party.call("gated"));
    await began.opened;
    expect((await party.request("ping")).result).toEqual({});
    gate.open();
    expect((await running).status).toBe(200);
  },
);

serverRow("UTIL-04", "a cancelled request ends, and gets no answer", async (revision, adapter) => {
  for (const steps of [0, 1]) {
    const { party, began, aborted, gate } = await http(adapter, revision);
    const call = party.call("gated", { steps }, { _meta: { progressToken: 1 } });
    const answering = party.post(call);
    await began.opened;
    await party.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: call.id } });
    await aborted.opened;
    gate.open();
    const answer = await answering;
    await answer.whole();
    expect(answer.complete).toBe(true);
    expect(messagesOf(answer)).toHaveLength(steps);
    // The id is free again.
    expect((await party.post(party.message("ping", {}, call.id))).status).toBe(200);
  }
});

serverRow("UTIL-06", "cancellations of nothing are taken and forgotten", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  for (const params of [{ requestId: "none" }, { requestId: 5.5 }, { requestId: null }, {}, undefined])
    expect(
      (
        await party.post(
          { jsonrpc: "2.0", method: "notifications/cancelled", params },
          { "mcp-protocol-version": revision < "2025-06-18" ? "" : revision },
        )
      ).status,
    ).toBe(202);
  expect((await party.request("tools/list")).result).toBeDefined();
});

serverRow("BATCH-02", "initialize is not part of a batch", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const initialize = party.message("initialize", {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  });
  const answer = await party.post([initialize, party.message("ping")]);
  await answer.whole();
  expect(messagesOf(answer).find(({ id }) => id === initialize.id)!.error!.code).toBe(-32600);
  const first = new Party(target.url, revision);
  expect((await first.post([initialize])).status).toBe(400);
});

serverRow(
  "BATCH-03",
  "a batch of notifications gets 202; one of requests, all the answers",
  async (revision, adapter) => {
    for (const sessions of [true, false]) {
      const { party } = await http(adapter, revision, { sessions });
      const silent = [
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 99, result: {} },
      ];
      const nothing = await party.post(silent);
      expect([nothing.status, await nothing.whole()]).toEqual([202, ""]);
      const requests = [party.message("ping"), party.call("echo", { text: "a" }), party.message("no/such")];
      for (const accept of [both, "application/json", "text/event-stream"]) {
        const answer = await party.post([...silent, ...requests], { accept });
        await answer.whole();
        const ids = messagesOf(answer).map(({ id }) => String(id));
        expect(ids.sort()).toEqual(requests.map(({ id }) => id).sort());
      }
    }
  },
);

serverRow("BATCH-06", "an array is refused", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.post([party.message("tools/list")], { "mcp-protocol-version": revision });
  expect(answer.status).toBe(400);
  expect((JSON.parse(await answer.whole()) as never)["error"]["code"]).toBe(-32600);
  expect((await party.request("tools/list")).result).toBeDefined();
});

serverRow("BATCH-08", "an empty batch is refused", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.post([]);
  expect(answer.status).toBe(400);
  expect((JSON.parse(await answer.whole()) as never)["error"]["code"]).toBe(-32600);
});
