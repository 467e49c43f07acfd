// The official host with the official client, as the scenario of host.mjs uses them.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import { capabilities, context, info, run, sampled } from "./host.mjs";

run(false, async (url, frame, show, heard, refuse) => {
  const client = new Client({ name: "host", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const bridge = new AppBridge(client, info, capabilities, { hostContext: context });
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = () => {
      heard("initialize", bridge.getAppVersion().name);
      heard("initialized");
      resolve();
    };
  });
  bridge.onopenlink = async (params) => {
    if (refuse(params)) throw new Error("refused");
    heard("link", params);
    return {};
  };
  const answer = (name, result) => async (params) => (heard(name, params), result(params));
  // The class reads this property; it is not an event.
  Object.assign(bridge, { onmessage: answer("message", () => ({})) });
  bridge.onupdatemodelcontext = answer("context", () => ({}));
  bridge.onrequestdisplaymode = answer("mode", ({ mode }) => ({ mode }));
  bridge.ondownloadfile = answer("download", () => ({}));
  bridge.oncreatesamplingmessage = async ({ messages }) => sampled(messages);
  bridge.onsizechange = (params) => heard("size", params);
  bridge.onloggingmessage = (params) => heard("log", params);
  bridge.onrequestteardown = () => heard("leave");
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  show();
  await initialized;
  return {
    errors: [],
    client,
    partial: (params) => bridge.sendToolInputPartial(params),
    input: (params) => bridge.sendToolInput(params),
    result: (params) => bridge.sendToolResult(params),
    cancelled: (params) => bridge.sendToolCancelled(params),
    context: (params) => bridge.sendHostContextChange(params),
    ping: () => bridge.request({ method: "ping" }),
    async tools() {
      const { tools } = await bridge.listTools({});
      return [tools, await bridge.callTool({ name: tools[0].name, arguments: {} })];
    },
    teardown: () => bridge.teardownResource({}),
    async close() {
      await bridge.close();
      await client.close();
    },
  };
});
