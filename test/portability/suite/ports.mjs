// Channels over `MessagePort`: servers and clients of the protocol, and both sides of a channel of an extension.
import { clientRevisions } from "@mcpgen/protocol/client";
import { hostTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/host";
import { viewTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";
import { connect } from "@mcpgen/runtime";
import { openPeer, postMessageChannel } from "@mcpgen/apps";
import { rejection, same } from "./assert.mjs";
import { fixture } from "./fixture.mjs";
import { streamCases } from "./stream.mjs";

function open(options = {}) {
  const { port1, port2 } = new MessageChannel();
  fixture({ onEvent: () => true }).connect(postMessageChannel(port1));
  return connect(postMessageChannel(port2), { revisions: clientRevisions, ...options });
}

/** A view and a host that talk to one another. */
async function peers() {
  const { port1, port2 } = new MessageChannel();
  const described = {
    ...{ protocolVersion: "2026-01-26", hostCapabilities: {}, hostContext: { extra: 1 } },
    hostInfo: { name: "host", version: "1.0.0" },
  };
  const heard = [];
  const host = openPeer(hostTable, postMessageChannel(port1), {
    "ui/initialize": () => described,
    "ui/open-link": ({ url }) => ({ url }),
    "ui/notifications/size-changed": (params) => heard.push(params),
  });
  const view = openPeer(viewTable, postMessageChannel(port2), {
    "ui/resource-teardown": () => ({ saved: true }),
  });
  const appInfo = { name: "view", version: "1.0.0" };
  const opening = { protocolVersion: "2026-01-26", appInfo, appCapabilities: {} };
  same(await view.request("ui/initialize", opening), described);
  await host.ready;
  await view.notify("ui/notifications/size-changed", { width: 1 });
  same(await view.request("ui/open-link", { url: "a:b" }), { url: "a:b" });
  same(heard, [{ width: 1 }]);
  same((await rejection(view.request("tools/call", { name: "a" }))).code, "method-not-found");
  same(await host.request("ui/resource-teardown", {}), { saved: true });
  port1.postMessage({ jsonrpc: "2.0", id: 1, method: 1 });
  port1.postMessage("no message");
  same(await host.request("ping"), {});
  await Promise.all([view.close(), host.close()]);
}

export const ports = [
  ...streamCases("a port").map(({ name, run }) => ({ name, needs: ["inside"], run: () => run(open) })),
  { name: "a port: both sides of a channel of an extension", needs: ["inside"], run: peers },
];
