// The official View, as the scenario of view.mjs uses it.
import { App, PostMessageTransport } from "@modelcontextprotocol/ext-apps";
import { run } from "./view.mjs";

run(async (heard, onTeardown) => {
  const app = new App(
    { name: "View", version: "1.0.0" },
    { availableDisplayModes: ["inline", "fullscreen"] },
    { autoResize: false },
  );
  app.ontoolinput = (params) => heard("input", params);
  app.ontoolinputpartial = (params) => heard("partial", params);
  app.ontoolresult = (params) => heard("result", params);
  app.ontoolcancelled = (params) => heard("cancelled", params);
  app.onhostcontextchanged = (params) => heard("context", params);
  app.onteardown = async () => onTeardown();
  await app.connect(new PostMessageTransport(window.parent, window.parent));
  return {
    opened: {
      hostInfo: app.getHostVersion(),
      hostCapabilities: app.getHostCapabilities(),
      hostContext: app.getHostContext(),
    },
    ping: () => app.request({ method: "ping" }),
    callTool: (params, options) => app.callServerTool(params, options),
    readResource: (params) => app.readServerResource(params),
    listResources: (params) => app.listServerResources(params),
    openLink: (params) => app.openLink(params),
    message: (params) => app.sendMessage(params),
    updateContext: (params) => app.updateModelContext(params),
    displayMode: (params) => app.requestDisplayMode(params),
    size: (params) => app.sendSizeChanged(params),
    log: (params) => app.sendLog(params),
    leave: () => app.requestTeardown(),
  };
});
