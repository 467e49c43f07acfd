// The host: calls a tool, displays its View in a sandbox, and answers the View.
import { clientRevisions } from "@mcpgen/protocol/client";
import { type AddedMembers, ui } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/client";
import { hostTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/host";
import { McpError, connect } from "@mcpgen/runtime";
import { openPeer, postMessageChannel } from "@mcpgen/apps";

const client = await connect(new URL("/mcp", location.href).href, {
  revisions: clientRevisions,
  extensions: [ui.implement({}, { settings: { mimeTypes: ["text/html;profile=mcp-app"] } })],
});

const heading = document.createElement("h1");
heading.textContent = "Host";
const frame = document.createElement("iframe");
frame.title = "View";
// Code of the server: no origin, and no network.
frame.sandbox.add("allow-scripts");
frame.style.cssText = "width: 100%; border: 1px solid #8888";
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
const messages = document.createElement("ul");
messages.ariaLabel = "Messages of the View";
document.body.append(heading, frame, messages);

const tools = (await client.listTools()).items;
const uiOf = ({ _meta }: object & AddedMembers["Tool"]) => _meta?.ui;
const tool = tools.find(({ name }) => name === "forecast")!;
const [page] = (await client.readResource(uiOf(tool)!.resourceUri!)).contents;
const ofViews = new Set(
  tools.filter((each) => uiOf(each)?.visibility?.includes("app") ?? true).map(({ name }) => name),
);

const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const host = openPeer(hostTable, postMessageChannel(frame.contentWindow!, { origin: "null" }), {
  "ui/initialize": () => ({
    protocolVersion: "2026-01-26",
    hostInfo: { name: "host", version: "1.0.0" },
    hostCapabilities: { serverTools: {}, message: { text: {} } },
    hostContext: { theme },
  }),
  "tools/call": ({ name, arguments: given }, { signal }) => {
    if (!ofViews.has(name)) throw new McpError("invalid-params", "not for Views", { rpcCode: -32602 });
    // A host asks the user before it calls tools that write.
    return client.callTool(name, given, { signal });
  },
  "ui/message": ({ content }) => {
    const [block] = content;
    if (block?.type !== "text") throw new McpError("invalid-params", "expected text", { rpcCode: -32602 });
    const item = document.createElement("li");
    item.textContent = block.text;
    messages.append(item);
    return {};
  },
  "ui/notifications/size-changed": ({ height }) => {
    if (height !== undefined) frame.style.height = `${Math.min(height, 800)}px`;
  },
});

// The peer is open: the View may begin.
frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${policy}">${page && "text" in page ? page.text : ""}`;
await host.ready;
const given = { city: "bergen" };
await host.notify("ui/notifications/tool-input", { arguments: given });
await host.notify("ui/notifications/tool-result", await client.callTool(tool.name, given));
