import { clientRevisions } from "@mcpgen/protocol/client";
import { connect } from "@mcpgen/runtime";
import { ok, rejection, same } from "./assert.mjs";
import { legacy, newest } from "./party.mjs";
import { gateName } from "./world.mjs";

/** Our own client against the handler, or over the platform's own `fetch`. */
export const client = [
  ...[...legacy, newest].map((revision) => ({
    name: `client at ${revision}: lists, calls, progress, errors`,
    needs: revision === newest ? [] : ["sessions"],
    async run(world) {
      const client = await open(world, { revision });
      same(client.revision, revision);
      const tools = new Set((await client.listTools()).items.map(({ name }) => name));
      ok(tools.has("echo") && tools.has("route"), "the tools are listed");
      same((await client.callTool("echo", { text: "hällo" })).content[0].text, "hällo");
      const sum = await client.callTool("add", { a: 1.5, b: 2 });
      same(JSON.parse(sum.content[0].text), { sum: 3.5 });
      same((await client.callTool("fail")).isError, true);
      const progress = [];
      await client.callTool(
        "steps",
        { count: 3 },
        { onProgress: (report) => progress.push(report.progress) },
      );
      same(progress, [1, 2, 3]);
      same((await client.readResource("note://zwei/für")).contents[0].text, "zwei");
      const missing = await rejection(client.readResource("note://none"));
      ok(
        missing.code === "resource-not-found" && [-32002, -32602].includes(missing.rpcCode),
        String(missing),
      );
      same((await client.callTool("route", { region: "zürich", limit: 7 })).isError ?? false, false);
      const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
      const called = await Promise.all(texts.map((text) => client.callTool("echo", { text })));
      same(
        called.map(({ content }) => content[0].text),
        texts,
      );
      await client.close();
    },
  })),
  {
    name: "client: the newest revision of both sides is found",
    needs: [],
    async run(world) {
      const client = await open(world);
      same(client.revision, newest);
      await client.close();
    },
  },
  ...["2025-06-18", "2025-11-25", newest].map((revision) => ({
    name: `client at ${revision}: the user is asked`,
    needs: revision === newest ? [] : ["sessions"],
    async run(world) {
      const asked = [];
      const elicit = ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { name: "Ada" } };
      };
      const client = await open(world, { revision, elicit });
      same((await client.callTool("greet")).content[0].text, "Hello, Ada");
      same(asked, ["Who is it?"]);
      await client.close();
    },
  })),
  ...["2025-11-25", newest].map((revision) => ({
    name: `client at ${revision}: changes are heard`,
    needs: revision === newest ? ["across"] : ["sessions"],
    async run(world) {
      const client = await open(world, { revision });
      const subscription = await client.subscribe({ tools: true, uris: ["note://one"] });
      const heard = new Set();
      const listening = (async () => {
        for await (const { method } of subscription) {
          heard.add(method);
          if (heard.size === 2) return;
        }
      })();
      await client.callTool("change");
      await listening;
      same([...heard].sort(), ["notifications/resources/updated", "notifications/tools/list_changed"]);
      await client.close();
    },
  })),
  ...["2025-11-25", newest].map((revision) => ({
    name: `client at ${revision}: a call is cancelled, and the server hears of it`,
    needs: revision === newest ? ["across", "gone"] : ["sessions"],
    async run(world) {
      const client = await open(world, { revision });
      const name = gateName();
      const controller = new AbortController();
      const waiting = client.callTool("hold", { name }, { signal: controller.signal });
      waiting.catch(() => undefined);
      await client.callTool("seen", { name, what: "began" });
      controller.abort();
      same((await rejection(waiting)).code, "cancelled");
      same((await client.callTool("seen", { name, what: "aborted" })).content[0].text, "aborted");
      await client.callTool("open", { name });
      await client.close();
    },
  })),
  {
    name: "client: a lost session is opened again, once for all calls",
    needs: ["sessions"],
    async run(world) {
      const sent = [];
      const client = await open(world, { revision: "2025-11-25" }, sent);
      await client.callTool("echo", { text: "a" });
      const session = sent.find((each) => each.headers.has("mcp-session-id"));
      const url = session.url;
      await (
        await world.target.send(new Request(url, { method: "DELETE", headers: session.headers }))
      ).body?.cancel();
      const opened = () =>
        sent.filter((each) => each.method === "POST" && !each.headers.has("mcp-session-id")).length;
      const before = opened();
      const texts = ["b", "c", "d"];
      const called = await Promise.all(texts.map((text) => client.callTool("echo", { text })));
      same(
        called.map(({ content }) => content[0].text),
        texts,
      );
      same(opened() - before, 1);
      await client.close();
    },
  },
];

/** A client with the same target as the case; `sent` gets copies of the heads of its requests. */
async function open(world, options = {}, sent = []) {
  const { url, send } = world.target;
  const plugged = (input, init) => {
    const request = new Request(input, init);
    sent.push({ url: request.url, method: request.method, headers: new Headers(request.headers) });
    return send(request);
  };
  return connect(url, { revisions: clientRevisions, http: { fetch: plugged }, ...options });
}
