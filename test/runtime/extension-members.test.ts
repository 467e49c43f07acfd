import { describe, expect, test } from "vitest";
import type { AddedMember, ExtensionTable, ExtensionTypes } from "@mcpgen/protocol/model";
import {
  type AddedMembers,
  ui as uiOfClients,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/client";
import { ui } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/server";
import { type ServerExtension, serverExtension } from "../../generated/extending.js";
import { clientOf, serverWith } from "../support/served.js";

const isColor = (value: unknown): boolean => value === "red" || value === "blue";

const color = (of: string, required?: true): AddedMember => ({
  ...{ of, path: ["_meta", "com.example/color"], name: "Color", accepts: isColor, is: isColor },
  ...(required && { required }),
});

function colors(...members: AddedMember[]): ServerExtension<ExtensionTypes> {
  const table: ExtensionTable<"server"> = {
    role: "server",
    incomingRequests: new Map(),
    incomingNotifications: new Map(),
    outgoingRequests: new Map(),
    outgoingNotifications: new Map(),
    errors: {},
    augments: new Map(),
    declared: {},
    members,
  };
  const bases = new Map([["2025-11-25", table]]);
  return serverExtension({ format: 1, id: "com.example/colors", version: "1", role: "server", bases });
}

const colored = (value: unknown): object => ({ _meta: { "com.example/color": value } });

const isForModel = ({ _meta }: AddedMembers["Tool"]): boolean =>
  _meta?.ui?.visibility?.includes("model") ?? true;

/** A host that hides tools which are for views alone. */
const hiding = uiOfClients.implement(
  {},
  {
    settings: { mimeTypes: ["text/html;profile=mcp-app"] },
    around: {
      "tools/list": async (_, next) => {
        const result = (await next()) as { tools: AddedMembers["Tool"][] };
        return { ...result, tools: result.tools.filter(isForModel) };
      },
    },
  },
);

describe("members that an extension adds", () => {
  test("an invalid one is refused at the registration, and at each change of it", () => {
    const server = serverWith({ extensions: [colors(color("Tool"))] });
    const wrong = 'tool "a": _meta.com.example/color: "green" is no Color (extension com.example/colors).';
    expect(() => server.tool("a", colored("green"), () => "")).toThrow(wrong);
    const tool = server.tool("a", colored("red"), () => "");
    expect(() => tool.update(colored("green"))).toThrow(wrong);
    tool.update(colored("blue"));
    server.prompt("a", colored("green"), () => "");
    expect(() => server.tool("b", colored(1n as never), () => "")).toThrow(
      'tool "b": _meta.com.example/color: it is not JSON: ',
    );
  });

  test("a required one must be present", () => {
    const server = serverWith({ extensions: [colors(color("Prompt", true))] });
    expect(() => server.prompt("a", {}, () => "")).toThrow(
      'prompt "a": _meta.com.example/color: expected a Color, got nothing (extension com.example/colors).',
    );
    server.prompt("a", colored("red"), () => "");
    server.tool("a", {}, () => "");
  });

  test("without the extension, the member is like any other", () => {
    serverWith().tool("a", colored("green"), () => "");
  });

  test.each(["2025-06-18", "2025-11-25", "2026-07-28"])(
    "clients at %s get the members of ui",
    async (revision) => {
      const server = serverWith({ extensions: [ui] });
      const _meta = { ui: { resourceUri: "ui://clock", visibility: ["app"] } };
      server.tool("clock", { _meta }, () => "12:00");
      expect(() => server.resource("ui://clock", { _meta: { ui: { csp: 1 } } }, () => "")).toThrow(
        'resource "ui://clock": _meta.ui: {"csp":1} is no McpUiResourceMeta (extension io.modelcontextprotocol/ui).',
      );
      server.tool("date", {}, () => "today");
      const client = await clientOf(server, "memory", revision);
      const { tools } = await client.request("tools/list", {});
      expect(tools).toMatchObject([{ name: "clock", _meta }, { name: "date" }]);
      const host = await clientOf(server, "memory", revision, { extensions: [hiding] });
      expect((await host.request("tools/list", {})).tools).toMatchObject([{ name: "date" }]);
    },
  );
});
