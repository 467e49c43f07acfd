import type { UsedExtension } from "@mcpgen/protocol/model";
import { ui } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/server";
import { skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { type CodeFirstServer, createServer } from "@mcpgen/runtime";

// Members that extensions add to definitions. Checked by the compiler alone.

const info = { name: "typed", version: "1" };

export function used(): CodeFirstServer {
  const server = createServer(info, { revisions: serverRevisions, extensions: [ui] });
  server.tool("shown", { _meta: { ui: { resourceUri: "ui://a", visibility: ["app"] }, other: 1 } }, () => "");
  server.tool("plain", {}, () => "");
  server.resource("ui://a", { _meta: { ui: { csp: { connectDomains: [] } } } }, () => "");
  // @ts-expect-error: a URI is a string.
  server.tool("wrong", { _meta: { ui: { resourceUri: 7 } } }, () => "");
  // @ts-expect-error: no such visibility.
  server.tool("wrong", { _meta: { ui: { visibility: ["user"] } } }, () => "");
  // @ts-expect-error: the member of resources has no such name.
  server.resource("ui://a", { _meta: { ui: { resourceUri: "ui://a" } } }, () => "");
  return server;
}

export function together(handlers: Parameters<typeof skills.implement>[0]): void {
  const server = createServer(info, {
    revisions: serverRevisions,
    extensions: [skills.implement(handlers), ui.implement({})],
  });
  // @ts-expect-error: a URI is a string.
  server.tool("wrong", { _meta: { ui: { resourceUri: 7 } } }, () => "");
}

export function unused(extensions: readonly UsedExtension<"server", unknown>[]): void {
  for (const server of [
    createServer(info, { revisions: serverRevisions }),
    createServer(info, { revisions: serverRevisions, extensions }),
  ])
    server.tool("open", { _meta: { ui: { resourceUri: 7 } } }, () => "");
}
