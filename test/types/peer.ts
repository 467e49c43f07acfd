// One side of a channel: methods, params and results have the types of its role.
import { connect, memoryChannels } from "@mcpgen/runtime";
import { openPeer } from "@mcpgen/apps";
import { clientRevisions } from "@mcpgen/protocol/client";
import { hostTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/host";
import * as modern from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2026-07-28/host";
import {
  mcpUiOpenLink,
  viewTable,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";

const [near, far] = memoryChannels();
const client = await connect(near, { revisions: clientRevisions });

export const view = openPeer(viewTable, near, {
  "ui/notifications/tool-input": ({ arguments: given }) => void given?.["city"],
  "ui/notifications/host-context-changed": ({ theme }) => {
    const known: "light" | "dark" | undefined = theme;
    return void known;
  },
  // @ts-expect-error: the host answers it, not the view
  "ui/open-link": () => ({}),
});

export const mode: "inline" | "fullscreen" | "pip" = (
  await view.request("ui/request-display-mode", { mode: "pip" })
).mode;
await view.request("ping");
await mcpUiOpenLink(view, { url: "https://a.example" });
// @ts-expect-error: a misspelt method
await view.request("ui/opn-link", { url: "https://a.example" });
// @ts-expect-error: a wrong member
await view.request("ui/open-link", { uri: "https://a.example" });
// @ts-expect-error: the params are missing
await view.request("ui/open-link");
// @ts-expect-error: the host sends it
await view.notify("ui/notifications/tool-input", {});
const method: string = "ui/open-link";
export const unknown: unknown = await view.request(method, {});

/** The result of a client can be relayed without change. */
export const host = openPeer(hostTable, far, {
  "ui/initialize": () => ({
    protocolVersion: "2026-01-26",
    hostInfo: { name: "host", version: "1.0.0" },
    hostCapabilities: {},
    hostContext: { theme: "dark" },
  }),
  "tools/call": ({ name, arguments: given }, { signal }) => client.callTool(name, given, { signal }),
  "resources/read": ({ uri }) => client.readResource(uri),
  "resources/list": (params) => client.request("resources/list", params),
  // @ts-expect-error: no result of this method
  "ui/request-display-mode": () => ({ mode: "sideways" }),
});
await host.notify("ui/notifications/tool-result", await client.callTool("a"));
// @ts-expect-error: no result of a tool
await host.notify("ui/notifications/tool-result", { content: 1 });
// @ts-expect-error: a misspelt option
openPeer(hostTable, far, {}, { timeout: 1 });

export const modernHost = openPeer(modern.hostTable, far, {
  "tools/call": ({ name, arguments: given }) => client.callTool(name, given),
  "resources/read": ({ uri }) => client.readResource(uri),
  "resources/list": (params) => client.request("resources/list", params),
});
await modernHost.notify("ui/notifications/tool-result", await client.callTool("a"));
