import { ok, same } from "./assert.mjs";
import { newest, textOf } from "./party.mjs";
import { gateName } from "./world.mjs";

const mismatch = -32020;
const token = { _meta: { progressToken: "t" } };

/** Stateless requests (2026-07-28). */
export const modern = [
  {
    name: "discovery, lists, reading and prompts are answered as JSON",
    async run(world) {
      const party = world.raw(newest);
      const discovered = await party.post(party.message("server/discover"));
      same([discovered.status, discovered.type], [200, "application/json"]);
      const { result } = (await discovered.whole()).messages[0];
      ok(result.supportedVersions.includes(newest), "the revision is named");
      ok(
        (await party.request("tools/list")).result.tools.some(({ name }) => name === "echo"),
        "echo is there",
      );
      same((await party.request("resources/read", { uri: "note://one" })).result.contents[0].text, "one");
      same((await party.request("prompts/get", { name: "hello" })).result.messages[0].content.text, "hello");
    },
  },
  {
    name: "progress comes as events before the answer",
    async run(world) {
      const party = world.raw(newest);
      const answer = await (await party.post(party.call("steps", { count: 3 }, token))).whole();
      same([answer.status, answer.type, answer.complete], [200, "text/event-stream", true]);
      same(answer.headers.get("x-accel-buffering"), "no");
      same(
        answer.messages.map(({ params, result }) => params?.progress ?? textOf(result)),
        [1, 2, 3, "stepped"],
      );
    },
  },
  {
    name: "progress is there before the answer is",
    needs: ["across"],
    async run(world) {
      const party = world.raw(newest);
      const name = gateName();
      const answer = await party.post(party.call("hold", { name, steps: 2 }, token));
      await answer.count(2);
      same(answer.over, false);
      await party.tool("open", { name });
      await answer.whole();
      same(
        answer.messages.map(({ params, result }) => params?.progress ?? textOf(result)),
        [1, 2, 3, 4, "held"],
      );
    },
  },
  {
    name: "a client that accepts no events gets JSON; one that accepts events alone gets events",
    async run(world) {
      const party = world.raw(newest);
      const json = await party.post(party.call("steps", { count: 2 }, token), { accept: "application/json" });
      same([json.type, (await json.whole()).messages.length], ["application/json", 1]);
      const events = await party.post(party.message("tools/list"), { accept: "text/event-stream" });
      same([events.type, (await events.whole()).messages.length], ["text/event-stream", 1]);
    },
  },
  {
    name: "logs come where they were asked for",
    async run(world) {
      const party = world.raw(newest);
      const asked = { _meta: { "io.modelcontextprotocol/logLevel": "debug" } };
      const loud = await (await party.post(party.call("tell", {}, asked))).whole();
      same(
        loud.messages.map(({ method, result }) => method ?? textOf(result)),
        ["notifications/message", "said"],
      );
      const quiet = await (await party.post(party.call("tell"))).whole();
      same(quiet.messages.length, 1);
    },
  },
  {
    name: "statuses: notification 202, unknown method 404, malformed 400, old version 400",
    async run(world) {
      const party = world.raw(newest);
      const notified = await party.post({
        jsonrpc: "2.0",
        method: "notifications/example.com/x",
        params: {},
      });
      same([notified.status, (await notified.whole()).text], [202, ""]);
      const outcome = async (message, more) => {
        const answer = await (await party.post(message, more)).whole();
        return [answer.status, answer.messages[0].error.code];
      };
      same(await outcome(party.message("no/such")), [404, -32601]);
      same(await outcome(party.message("ping")), [404, -32601]);
      same(await outcome({ jsonrpc: "2.0", id: 1, result: {} }), [400, -32600]);
      same(await outcome([party.message("tools/list")]), [400, -32600]);
      const version = { _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } };
      const old = party.message("tools/list", version);
      same(await outcome(old, { "mcp-protocol-version": "2099-01-01" }), [400, -32022]);
    },
  },
  {
    name: "headers that mirror the request are compared, encoded ones decoded",
    async run(world) {
      const party = world.raw(newest);
      const status = async (message, more) => {
        const answer = await (await party.post(message, more)).whole();
        if (answer.status !== 200) same(answer.messages[0].error.code, mismatch);
        return answer.status;
      };
      const uri = "note://zwei/für";
      const encoded = `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(uri)))}?=`;
      const read = party.message("resources/read", { uri });
      same(await status(read, { "mcp-name": encoded }), 200);
      same(await status(read, { "mcp-name": "note://zwei" }), 400);
      same(await status(read, { "mcp-name": "=?base64?/w==?=" }), 400);
      same(await status(party.message("tools/list"), { "mcp-method": "tools/call" }), 400);
      same(await status(party.message("tools/list"), { "mcp-method": "" }), 400);
      const call = party.call("route", { region: "eu", limit: 42 });
      const right = { "mcp-param-region": "eu", "mcp-param-limit": "42.0" };
      same(await status(call, right), 200);
      same(await status(call, { ...right, "mcp-param-limit": "43" }), 400);
      same(await status(call, { "mcp-param-limit": "42" }), 400);
      same(await status(party.call("route"), right), 400);
    },
  },
  ...["abort", "drop"].map((way) => ({
    name: `a request is cancelled by closing its stream: ${way}`,
    needs: ["across"],
    async run(world) {
      const party = world.raw(newest);
      const name = gateName();
      const answer = await party.post(party.call("hold", { name, steps: 1 }, token));
      await answer.count(1);
      await answer[way]();
      same(await party.tool("seen", { name, what: "aborted" }), "aborted");
      await party.tool("open", { name });
    },
  })),
  {
    name: "a request is cancelled by aborting it before there is an answer",
    needs: ["across", "gone"],
    async run(world) {
      const party = world.raw(newest);
      const name = gateName();
      const controller = new AbortController();
      const waiting = party.post(party.call("hold", { name }), {}, controller.signal).catch(() => undefined);
      same(await party.tool("seen", { name, what: "began" }), "began");
      controller.abort();
      same(await party.tool("seen", { name, what: "aborted" }), "aborted");
      await party.tool("open", { name });
      await Promise.race([waiting, Promise.resolve()]);
    },
  },
  {
    name: "calls at once do not get in each other's way",
    async run(world) {
      const party = world.raw(newest);
      const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
      same(await Promise.all(texts.map((text) => party.tool("echo", { text }))), texts);
      const large = "0123456789äöü€𝄞".repeat(20_000);
      ok((await party.tool("echo", { text: large })) === large, "a large message comes whole");
    },
  },
  {
    name: "a fixed form of answers holds",
    needs: ["inside"],
    async run(world) {
      for (const [responses, type] of [
        ["json", "application/json"],
        ["sse", "text/event-stream"],
      ]) {
        const party = world.raw(newest, {}, world.serve({}, { responses }));
        const answer = await party.post(party.call("steps", { count: 1 }, token));
        same([answer.type, (await answer.whole()).messages.length], [type, responses === "json" ? 1 : 2]);
      }
    },
  },
];
