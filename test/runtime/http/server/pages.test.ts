import { serverRevisions } from "@mcpgen/protocol";
import { type ToolSchema, createServer } from "@mcpgen/runtime";
import { requestHeaders } from "@mcpgen/runtime/http";
import { describe, expect, test } from "vitest";
import { adapters, serve } from "../../../support/http-adapters.js";
import { http, inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";
import { send } from "../../../support/http-wire.js";

const modern = "2026-07-28";

/** The schema of a tool with a parameter that a header mirrors. */
function declaring(name: string): ToolSchema {
  return { type: "object", properties: { a: { type: "string", "x-mcp-header": name } } };
}

describe.each(adapters)("pages of browsers, %s (R26)", (adapter) => {
  const origin = "http://localhost:5173";

  async function allowed(revisions: readonly string[], tools: readonly string[] = []): Promise<string[]> {
    const server = createServer(
      { name: "cors", version: "1" },
      { revisions: { known: serverRevisions, speaks: revisions } },
    );
    for (const name of tools) server.tool(name, { inputSchema: declaring(name) }, () => "");
    const { url } = await serve(adapter, server);
    const answer = await send(url, "OPTIONS", {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": requestHeaders(server).join(",").toLowerCase(),
    });
    expect([answer.status, answer.headers["access-control-allow-origin"], answer.headers.vary]).toEqual([
      204,
      origin,
      "Origin",
    ]);
    const names = answer.headers["access-control-allow-headers"]!.split(", ");
    expect(names).toEqual(requestHeaders(server));
    return names;
  }

  test("the headers that are allowed follow from revisions and tools", async () => {
    const always = ["Accept", "Authorization", "Content-Type", "Last-Event-ID", "Mcp-Session-Id"];
    const version = [...always, "MCP-Protocol-Version"].sort();
    const newest = [...version, "Mcp-Method", "Mcp-Name"].sort();
    expect(await allowed(["2024-11-05"])).toEqual(always);
    expect(await allowed(["2025-03-26"])).toEqual(always);
    expect(await allowed(["2025-06-18"])).toEqual(version);
    expect(await allowed(["2025-11-25"])).toEqual(version);
    expect(await allowed([modern])).toEqual(newest);
    expect(await allowed([modern, "2025-11-25"], ["Region", "Tenant"])).toEqual(
      [...newest, "Mcp-Param-Region", "Mcp-Param-Tenant"].sort(),
    );
  });

  test("a preflight without authentication gets only the header names that it requested", async () => {
    const { server } = inside();
    server.tool("hidden", { visible: () => false, inputSchema: declaring("Falcon") }, () => "");
    server.tool("other", { inputSchema: declaring("Region") }, () => "");
    const { url } = await serve(adapter, server, { authenticate: () => ({ status: 401 }) });
    const named = async (asked: string): Promise<string[]> => {
      const headers = { origin, "access-control-request-method": "POST" };
      const more = asked === "" ? {} : { "access-control-request-headers": asked };
      const answer = await send(url, "OPTIONS", { ...headers, ...more });
      const names = answer.headers["access-control-allow-headers"]!.split(", ");
      expect(names).toContain("MCP-Protocol-Version");
      return names.filter((name) => name.startsWith("Mcp-Param-"));
    };
    expect(await named("")).toEqual([]);
    expect(await named("accept,mcp-param-region")).toEqual(["Mcp-Param-Region"]);
    expect(await named("mcp-param-none, Mcp-Param-Region ,mcp-param-falcon2")).toEqual(["Mcp-Param-Region"]);
  });

  test("an allowed page can read every answer to its requests", async () => {
    const { party, target } = await http(adapter, "2025-11-25");
    const modernParty = new Party(target.url, modern);
    const all = [
      ...(["tools/list", "no/such"] as const).flatMap((method) =>
        [party, modernParty].map((each) => each.post(each.message(method), { origin })),
      ),
      ...[party, modernParty].map((each) =>
        each.post(each.call("steps", { count: 1 }, { _meta: { progressToken: 1 } }), { origin }),
      ),
      modernParty.post(modernParty.message("subscriptions/listen", { notifications: {} }), { origin }),
      modernParty.post({ jsonrpc: "2.0", method: "notifications/x" }, { origin }),
      party.get({ origin }),
      party.post(party.message("tools/list"), { origin, "mcp-session-id": "none" }),
      send(target.url, "PUT", { origin }),
      send(target.url, "POST", { origin }),
    ];
    for (const answer of await Promise.all(all))
      expect([
        answer.status,
        answer.headers["access-control-allow-origin"],
        answer.headers["access-control-expose-headers"],
      ]).toEqual([answer.status, origin, "Mcp-Session-Id, WWW-Authenticate"]);
    const refused = await party.post(party.message("tools/list"), { origin: "https://evil.example" });
    expect(refused.status).toBe(403);
  });
});
