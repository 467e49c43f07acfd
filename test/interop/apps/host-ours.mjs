// Our host with our client, as the scenario of host.mjs uses them.
import { clientRevisions } from "@mcpgen/protocol/client";
import { hostTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/host";
import { McpError, connect } from "@mcpgen/runtime";
import { openPeer, postMessageChannel } from "@mcpgen/apps";
import { capabilities, context, info, run, sampled } from "./host.mjs";

run(true, async (url, frame, show, heard, refuse) => {
  const client = await connect(url, { revisions: clientRevisions });
  const errors = [];
  const host = openPeer(
    hostTable,
    postMessageChannel(frame.contentWindow, { origin: "null" }),
    {
      "ui/initialize": ({ appInfo }) => {
        heard("initialize", appInfo.name);
        return {
          protocolVersion: "2026-01-26",
          hostInfo: info,
          hostCapabilities: capabilities,
          hostContext: context,
          extra: 1,
        };
      },
      "tools/call": ({ name, arguments: given }, { signal }) => client.callTool(name, given, { signal }),
      "resources/read": ({ uri }) => client.readResource(uri),
      "resources/list": (params) => client.request("resources/list", params),
      "ui/open-link": (params) => {
        if (refuse(params)) throw new McpError("invalid-params", "refused", { rpcCode: -32000 });
        heard("link", params);
        return {};
      },
      "ui/message": (params) => (heard("message", params), {}),
      "ui/update-model-context": (params) => (heard("context", params), {}),
      "ui/download-file": (params) => (heard("download", params), {}),
      "sampling/createMessage": ({ messages }) => sampled(messages),
      "resources/templates/list": (params) => client.request("resources/templates/list", params),
      "ui/request-display-mode": (params) => (heard("mode", params), params),
      "ui/notifications/initialized": () => heard("initialized"),
      "ui/notifications/size-changed": (params) => heard("size", params),
      "notifications/message": (params) => heard("log", params),
      "ui/notifications/request-teardown": () => heard("leave"),
    },
    { onError: (error, method) => errors.push([method, error.code ?? error.message]) },
  );
  // The window is right, but its origin is not: this peer receives nothing.
  const deaf = openPeer(
    hostTable,
    postMessageChannel(frame.contentWindow, { origin: "https://other.example" }),
    {
      "ui/initialize": () => heard("of another origin"),
      "ui/notifications/initialized": () => heard("of another origin"),
    },
  );
  show();
  await host.ready;
  return {
    errors,
    client: { callTool: ({ name, arguments: given }) => client.callTool(name, given) },
    partial: (params) => host.notify("ui/notifications/tool-input-partial", params),
    input: (params) => host.notify("ui/notifications/tool-input", params),
    result: (params) => host.notify("ui/notifications/tool-result", params),
    cancelled: (params) => host.notify("ui/notifications/tool-cancelled", params),
    context: (params) => host.notify("ui/notifications/host-context-changed", params),
    ping: () => host.request("ping"),
    async tools() {
      const { tools } = await host.request("tools/list", {});
      return [tools, await host.request("tools/call", { name: tools[0].name, arguments: {} })];
    },
    teardown: () => host.request("ui/resource-teardown", {}),
    async close() {
      await deaf.close();
      await host.close();
      await client.close();
    },
  };
});
