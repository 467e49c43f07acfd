import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, connect, createServer, McpError } from "@mcpgen/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf } from "../../../support/failure-of.js";
import { heard } from "../../../support/heard.mjs";
import { adapters, serve } from "../../../support/http-adapters.js";
import { send } from "../../../support/http-wire.js";
import { Party } from "../../../support/raw-http-client.js";
import { encodeHeaderValue } from "../../../../runtime/core/protocol/param-headers.js";

// A gateway answers tools/list and tools/call by handlers. The headers of its tools are judged as those of registered tools.

const revision = "2026-07-28";
const inputSchema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    place: {
      type: "object",
      properties: { floor: { type: "integer", "x-mcp-header": "Floor" } },
    },
  },
} as const;

const made = (events: Parameters<typeof heard>[0] = {}): CodeFirstServer =>
  createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, capabilities: { tools: {} }, onEvent: heard(events) },
  );

function registered(): CodeFirstServer {
  const server = made();
  server.tool("t", { inputSchema }, () => "called");
  return server;
}

/** A server whose tools a handler lists. */
function described(calls: unknown[] = [], isLate = true): CodeFirstServer {
  const server = made();
  server.handle("tools/list", () => ({ tools: [{ name: "t", inputSchema }] }) as never);
  server.handle("tools/call", ({ name, arguments: args }) => {
    calls.push(args);
    return { content: [{ type: "text", text: `called ${name}` }] };
  });
  server.describeTool((name) => {
    const tool = name === "t" ? { inputSchema } : undefined;
    return isLate ? Promise.resolve(tool) : tool;
  });
  return server;
}

const regions = [undefined, "us", "ünï"];
const floors = [undefined, 42];
const regionHeaders = ["", "us", "=?base64?!?="];
const floorHeaders = ["", "42.0", "7"];

describe.each(adapters)("over %s", (adapter) => {
  test("each call is judged as that of a registered tool", async () => {
    const calls: unknown[] = [];
    const servers = [registered(), described(calls, true), described(calls, false)];
    const parties = await Promise.all(
      servers.map(async (server) => new Party((await serve(adapter, server)).url, revision)),
    );
    let accepted = 0;
    for (const region of regions)
      for (const floor of floors)
        for (const given of [...regionHeaders, ...(region ? [encodeHeaderValue(region)] : [])])
          for (const level of floorHeaders) {
            const args = {
              ...(region !== undefined && { region }),
              ...(floor !== undefined && { place: { floor } }),
            };
            const [own, ...others] = await Promise.all(
              parties.map(async (party) => {
                const message = party.call("t", args, {}, "id");
                const answer = await party.post(message, {
                  "mcp-param-region": given,
                  "mcp-param-floor": level,
                });
                const { error } = JSON.parse(await answer.whole()) as { error?: unknown };
                return { status: answer.status, error };
              }),
            );
            for (const other of others)
              expect([args, given, level, other]).toEqual([args, given, level, own]);
            if (own!.status === 200) accepted++;
          }
    expect(calls).toHaveLength(2 * accepted);
    expect(accepted).toBeGreaterThan(4);
  });

  test("a tool that is not described is left to the handler; what the description throws answers the call", async () => {
    const errors: unknown[] = [];
    const server = made({ handlerError: (error) => void errors.push(error) });
    let calls = 0;
    server.handle("tools/call", () => ({ content: [{ type: "text", text: `call ${++calls}` }] }));
    server.describeTool(async (name, { clientInfo }) => {
      if (name === "refused")
        throw new McpError("invalid-params", `not for ${clientInfo!.name}`, { rpcCode: -32602 });
      if (name === "broken") throw new Error("secret");
      return undefined;
    });
    const party = new Party((await serve(adapter, server)).url, revision);
    const headers = { "mcp-param-region": "us" };
    expect((await party.request("tools/call", { name: "other" }, headers)).result).toMatchObject({
      content: [{ text: "call 1" }],
    });
    const refused = await party.post(party.call("refused"));
    expect(JSON.parse(await refused.whole())).toMatchObject({
      error: { code: -32602, message: "not for raw" },
    });
    expect((await party.request("tools/call", { name: "broken" })).error).toMatchObject({ code: -32603 });
    expect(errors).toMatchObject([{ message: "secret" }]);
    // Other methods need no description.
    expect((await party.request("server/discover")).result).toBeDefined();
    expect(calls).toBe(1);
  });

  test("a client that has left while its tool is described runs nothing", async () => {
    const server = made();
    let calls = 0;
    let described: (tool: undefined) => void = () => {};
    let begun: () => void = () => {};
    const begins = new Promise<void>((resolve) => (begun = resolve));
    server.handle("tools/call", () => ({ content: [{ type: "text", text: `call ${++calls}` }] }));
    server.describeTool((name) => {
      if (name !== "slow") return undefined;
      begun();
      return new Promise((resolve) => (described = resolve));
    });
    const target = await serve(adapter, server);
    const party = new Party(target.url, revision);
    const abort = new AbortController();
    const message = party.call("slow");
    const posted = fetch(target.url, {
      method: "POST",
      headers: party.headersOf(message),
      body: JSON.stringify(message),
      signal: abort.signal,
    }).catch(() => undefined);
    await begins;
    abort.abort();
    await posted;
    await expect.poll(() => target.stats().gauges.requests).toBe(0);
    described(undefined);
    await party.request("tools/call", { name: "next" });
    expect(calls).toBe(1);
  });

  test("a preflight allows the headers of described tools that it asks for", async () => {
    const target = await serve(adapter, described(), { allowedOrigins: ["https://page.example"] });
    const answer = await send(target.url, "OPTIONS", {
      origin: "https://page.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type, mcp-param-region, x-other, mcp-param-a b",
    });
    const allowed = String(answer.headers["access-control-allow-headers"]).split(", ");
    expect(allowed).toContain("mcp-param-region");
    expect(allowed.filter((name) => /other|a b/.test(name))).toEqual([]);
  });
});

test("a client learns the tools of a request for their list: its calls carry their headers", async () => {
  const calls: unknown[] = [];
  const { url } = await serve("node", described(calls));
  for (const learn of ["request", "listTools", "schema"] as const) {
    const warnings: string[] = [];
    const client = await connect(url, {
      revisions: clientRevisions,
      revision,
      onEvent: heard({ warning: (warning: string) => void warnings.push(warning) }),
      http: { resend: "never" },
    });
    onTestFinished(() => client.close());
    if (learn === "request") await client.request("tools/list");
    else if (learn === "schema") await client.request("tools/list", {}, { result: {} });
    else await client.listTools();
    const args = { region: "ünï", place: { floor: 3 } };
    expect(await client.request("tools/call", { name: "t", arguments: args })).toMatchObject({
      content: [{ text: "called t" }],
    });
    expect(calls.pop()).toEqual(args);
    expect(warnings).toEqual([]);
  }
});

test("a request for a list leaves tools out whose declarations are invalid, as listTools does", async () => {
  const server = made();
  const wrong = { type: "object", properties: { a: { type: "array", "x-mcp-header": "A" } } };
  server.handle("tools/list", () => ({
    tools: [
      { name: "wrong", inputSchema: wrong },
      { name: "t", inputSchema },
    ] as never,
  }));
  const { url } = await serve("node", server);
  const warnings: string[] = [];
  const client = await connect(url, {
    revisions: clientRevisions,
    revision,
    onEvent: heard({ warning: (warning: string) => void warnings.push(warning) }),
  });
  onTestFinished(() => client.close());
  const { tools } = await client.request("tools/list");
  const { items } = await client.listTools();
  expect([tools, items].map((list) => list.map(({ name }) => name))).toEqual([["t"], ["t"]]);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toBe(warnings[1]);
  expect(await failureOf(client.request("tools/list", {}, {}))).toBeUndefined();
});
