import { describe, expect, test } from "vitest";
import { skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import type { CodeFirstServer, ServerOptions } from "@mcpgen/runtime";
import { failureOf } from "../support/failure-of.js";
import { heard } from "../support/heard.mjs";
import { clientOf, routes, serverWith } from "../support/served.js";

const implemented = skills.implement({
  "skills/list": () => ({ skills: [] }),
  "skills/get": () => {
    throw new Error("there is none");
  },
} as never);

function skilled(options: Partial<ServerOptions> = {}): CodeFirstServer {
  return serverWith({ extensions: [implemented], ...options });
}

describe("a server that lacks a capability which its extension needs", () => {
  const refused = {
    code: "invalid-definition",
    message:
      "extension io.modelcontextprotocol/skills: the server declares no resources, which the extension needs. Register what the capability is for, or give it in capabilities.",
  };

  test.each(routes)("refuses clients over %s at %s, and reports the reason", async (wire, revision) => {
    const reported: unknown[] = [];
    const server = skilled({ onEvent: heard({ handlerError: (error) => void reported.push(error) }) });
    expect(await failureOf(clientOf(server, wire, revision))).toBeInstanceOf(Error);
    expect(reported).toContainEqual(expect.objectContaining(refused));
  });

  test("accepts clients after it gets the capability", async () => {
    const server = skilled();
    server.resource("test://a", { name: "a" }, () => "text");
    const client = await clientOf(server, "memory", "2026-07-28");
    expect(client.serverCapabilities.resources).toBeDefined();
    const declaring = skilled({ capabilities: { resources: {} } });
    expect(await clientOf(declaring, "memory", "2025-11-25")).toBeDefined();
  });
});
