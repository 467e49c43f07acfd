import { McpError, type MiddlewareRequest } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { heard } from "../support/heard.mjs";
import { clientOf, eras, routes, serverWith } from "../support/served.js";

/** Middleware of either role that notes each request and its outcome. */
function notes() {
  const lines: string[] = [];
  return {
    lines,
    use: (request: MiddlewareRequest, next: () => object | Promise<object>) => {
      const { direction, method, context } = request;
      const about = `${direction} ${method} ${context.revision}`;
      const done = (result: object): object => {
        lines.push(`${about} ${JSON.stringify(result).includes("input_required") ? "input" : "ok"}`);
        return result;
      };
      const failed = (error: unknown): never => {
        lines.push(`${about} ${error instanceof McpError ? error.code : (error as Error).name}`);
        throw error;
      };
      try {
        const result = next();
        return result instanceof Promise ? result.then(done, failed) : done(result);
      } catch (error) {
        return failed(error);
      }
    },
  };
}

describe.each(routes)("over %s at %s", (wire, revision) => {
  const modern = revision === "2026-07-28";

  test("middleware of both roles runs around the requests of a client", async () => {
    const server = serverWith();
    server.tool("add", { inputSchema: { type: "object" } }, () => "done");
    const [ours, theirs] = [notes(), notes()];
    server.use(ours.use);
    const client = await clientOf(server, wire, revision, { use: [theirs.use] });
    await client.listTools();
    await client.callTool("add");
    await failureOf(client.callTool("missing"));
    const seen = (failure: string): string[] => [
      `${modern ? "server/discover" : "initialize"} ${revision} ok`,
      `tools/list ${revision} ok`,
      `tools/call ${revision} ok`,
      `tools/call ${revision} ${failure}`,
    ];
    expect(ours.lines).toEqual(seen("invalid-params").map((line) => `incoming ${line}`));
    expect(theirs.lines).toEqual(seen("remote-error").map((line) => `outgoing ${line}`));
  });

  test.each(modern ? [false, true] : [false])(
    "middleware of both roles runs around the questions of a handler (replay: %s)",
    async (replay) => {
      const server = serverWith({ state: replay ? { parking: false } : {} });
      server.tool("roots", { replay }, async (_, { ask }) => String((await ask.roots("here")).length));
      const [ours, theirs] = [notes(), notes()];
      const client = await clientOf(server, wire, revision, { roots: [{ uri: "file:///a" }] });
      server.use(ours.use);
      client.use(theirs.use);
      expect((await client.callTool("roots")).content).toEqual([{ type: "text", text: "1" }]);
      // A handler that runs again does so in each round; one that waits sees nothing of the rounds.
      const again = replay
        ? ["outgoing roots/list 2026-07-28 Suspended", "incoming tools/call 2026-07-28 Suspended"]
        : [];
      expect(ours.lines).toEqual([
        ...again,
        `outgoing roots/list ${revision} ok`,
        `incoming tools/call ${revision} ok`,
      ]);
      expect(theirs.lines).toEqual([
        `incoming roots/list ${revision} ok`,
        `outgoing tools/call ${revision} ok`,
      ]);
    },
  );

  test("middleware replaces parameters and results, on both sides and in both directions", async () => {
    const server = serverWith();
    server.tool("echo", { inputSchema: { type: "object" } }, async (given, { ask }) => {
      const { model } = await ask.sample("k", {
        messages: [{ role: "user", content: { type: "text", text: "x" } }],
        maxTokens: 1,
      });
      return `${JSON.stringify(given)} ${model}`;
    });
    server.use(async (request, next) => {
      if (request.direction === "outgoing") {
        if (request.method !== "sampling/createMessage") return next();
        const result = await next({ ...request.params, maxTokens: request.params.maxTokens + 10 });
        return { ...result, model: `${String(result["model"])}, received` };
      }
      if (request.method !== "tools/call") return next();
      return next({ ...request.params, arguments: { ...request.params.arguments, served: true } });
    });
    const client = await clientOf(server, wire, revision, {
      sample: ({ maxTokens }) => ({
        role: "assistant",
        content: { type: "text", text: "y" },
        model: String(maxTokens),
      }),
    });
    client.use(async (request, next) => {
      if (request.direction === "incoming" && request.method === "sampling/createMessage")
        return { ...(await next({ ...request.params, maxTokens: request.params.maxTokens + 100 })) };
      if (request.direction === "incoming" || request.method !== "tools/call") return next();
      const result = await next({ ...request.params, arguments: { called: true } });
      return { ...result, _meta: { seen: true } };
    });
    const { content, _meta } = await client.callTool("echo", { lost: true });
    expect(content).toEqual([{ type: "text", text: '{"called":true,"served":true} 111, received' }]);
    expect(_meta).toEqual({ seen: true });
  });

  test("an error of a server's middleware counts as an error of a handler", async () => {
    const reported: unknown[] = [];
    const server = serverWith({
      onEvent: heard({ handlerError: (error, place) => reported.push([error, place]) }),
    });
    server.tool("t", {}, () => "done");
    const client = await clientOf(server, wire, revision);
    const broken = new Error("broken");
    const remove = server.use(() => {
      throw broken;
    });
    const plain = (await failureOf(client.callTool("t"))) as McpError;
    expect(plain).toMatchObject({ code: "remote-error", rpcCode: -32603 });
    expect(plain.message).not.toContain("broken");
    remove();
    server.use(async () => {
      throw new McpError("limit-exceeded", "not today", { rpcCode: -1, data: { why: "sunday" } });
    });
    expect(await failureOf(client.callTool("t"))).toMatchObject({ rpcCode: -1, data: { why: "sunday" } });
    expect(reported).toEqual([[broken, { method: "tools/call", name: "t" }]]);
  });
});

describe.each(eras)("at %s", (revision) => {
  test("the first middleware is the outermost, and a removed one does not run", async () => {
    const order: string[] = [];
    const server = serverWith();
    server.tool("t", {}, () => {
      order.push("handler");
      return "done";
    });
    const client = await clientOf(server, "memory", revision);
    const named = (name: string) => (_: unknown, next: () => object) => {
      order.push(name);
      return next();
    };
    const removes = ["1", "2"].map((name) => server.use(named(`server ${name}`)));
    const [remove] = ["1", "2"].map((name) => client.use(named(`client ${name}`)));
    await client.callTool("t");
    expect(order.splice(0)).toEqual(["client 1", "client 2", "server 1", "server 2", "handler"]);
    removes[1]!();
    remove!();
    remove!();
    await client.callTool("t");
    expect(order.splice(0)).toEqual(["client 2", "server 1", "handler"]);
  });

  test("a list that middleware leaves as it is keeps its cached text; another one is sent in its place", async () => {
    const server = serverWith({ lists: { cache: { ttlMs: 60_000, cacheScope: "public" } } });
    server.tool("a", {}, () => "");
    server.tool("b", {}, () => "");
    const client = await clientOf(server, "memory", revision);
    let hides = false;
    server.use((request, next) => {
      const result = next() as { tools: { name: string }[] };
      if (request.method !== "tools/list" || !hides) return result;
      return { ...result, tools: result.tools.filter(({ name }) => name === "a") };
    });
    const names = async (): Promise<unknown[]> => {
      const { tools, ...hints } = await client.request<{ tools: { name: string }[]; cacheScope?: string }>(
        "tools/list",
        { _meta: {} },
      );
      client.cache.clear();
      return [tools.map(({ name }) => name).join(), hints.cacheScope];
    };
    const scope = (said: string): string | undefined => (revision === "2026-07-28" ? said : undefined);
    expect(await names()).toEqual(["a,b", scope("public")]);
    hides = true;
    expect(await names()).toEqual(["a", scope("private")]);
    hides = false;
    expect(await names()).toEqual(["a,b", scope("public")]);
  });

  test("middleware that answers by itself keeps the handler from running", async () => {
    const server = serverWith();
    let ran = 0;
    server.tool("t", {}, () => String(++ran));
    const client = await clientOf(server, "memory", revision);
    server.use((request, next) =>
      request.method === "tools/call" ? { content: [{ type: "text", text: "cached" }] } : next(),
    );
    expect((await client.callTool("t")).content).toEqual([{ type: "text", text: "cached" }]);
    client.use(() => ({ content: [] }));
    expect((await client.callTool("t")).content).toEqual([]);
    expect(ran).toBe(0);
  });

  test("an unusable result of middleware is an internal error", async () => {
    const reported: string[] = [];
    const server = serverWith({
      onEvent: heard({ handlerError: (error) => reported.push((error as Error).message) }),
    });
    server.tool("t", {}, () => "done");
    const client = await clientOf(server, "memory", revision);
    server.use(() => undefined as never);
    expect(await failureOf(client.callTool("t"))).toMatchObject({ rpcCode: -32603 });
    expect(reported).toEqual(["the result of the handler or middleware of tools/call is not an object"]);
  });
});

test("middleware of a client runs around its cache and its subscriptions", async () => {
  const server = serverWith({ lists: { cache: { ttlMs: 60_000, cacheScope: "public" } } });
  server.tool("t", {}, () => "");
  const { lines, use } = notes();
  const client = await clientOf(server, "memory", "2026-07-28", { use: [use] });
  await client.listTools();
  await client.listTools();
  await (await client.subscribe({ tools: true })).close();
  expect(lines.map((line) => line.split(" ").slice(1, 2).concat(line.split(" ").at(-1)!))).toEqual([
    ["server/discover", "ok"],
    ["tools/list", "ok"],
    ["tools/list", "ok"],
    ["subscriptions/listen", "cancelled"],
  ]);
});

test("middleware that throws around the first request fails the connection", async () => {
  const refuse = () => {
    throw new Error("offline");
  };
  const failure = await failureOf(clientOf(serverWith(), "memory", "2026-07-28", { use: [refuse] }));
  expect((failure as Error).message).toContain("offline");
});
