// Our View, as scenario of view.mjs uses it.
import { viewTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";
import { openPeer, postMessageChannel } from "@mcpgen/apps";
import { capabilities, ownResult, ownTool, run } from "./view.mjs";

run(async (heard, onTeardown) => {
  const hear = (name) => (params) => heard(name, params);
  const view = openPeer(viewTable, postMessageChannel(window.parent, { origin: "*" }), {
    "ui/notifications/tool-input": hear("input"),
    "ui/notifications/tool-input-partial": hear("partial"),
    "ui/notifications/tool-result": hear("result"),
    "ui/notifications/tool-cancelled": hear("cancelled"),
    "ui/notifications/host-context-changed": hear("context"),
    "ui/resource-teardown": () => onTeardown(),
    "tools/list": () => ({ tools: [ownTool], resultType: "complete", ttlMs: 0, cacheScope: "private" }),
    "tools/call": ({ name }) => ownResult(name),
  });
  const opened = await view.request("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "View", version: "1.0.0" },
    appCapabilities: capabilities,
  });
  await view.ready;
  return {
    opened,
    ping: () => view.request("ping"),
    callTool: (params, options) => view.request("tools/call", params, options),
    readResource: (params) => view.request("resources/read", params),
    listResources: (params) => view.request("resources/list", params),
    openLink: (params) => view.request("ui/open-link", params),
    message: (params) => view.request("ui/message", params),
    updateContext: (params) => view.request("ui/update-model-context", params),
    displayMode: (params) => view.request("ui/request-display-mode", params),
    size: (params) => view.notify("ui/notifications/size-changed", params),
    download: (params) => view.request("ui/download-file", params),
    sample: (params) => view.request("sampling/createMessage", params),
    templates: () => view.request("resources/templates/list", {}),
    log: (params) => view.notify("notifications/message", params),
    leave: () => view.notify("ui/notifications/request-teardown", {}),
  };
});
