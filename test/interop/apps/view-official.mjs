// The official View, as the scenario of view.mjs uses it.
import { App, PostMessageTransport } from "@modelcontextprotocol/ext-apps";
import { capabilities, ownResult, ownTool, run } from "./view.mjs";

run(async (heard, onTeardown) => {
  const app = new App({ name: "View", version: "1.0.0" }, capabilities, { autoResize: false });
  app.onlisttools = async () => ({ tools: [ownTool] });
  app.oncalltool = async ({ name }) => ownResult(name);
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
    download: (params) => app.downloadFile(params),
    sample: (params) => app.createSamplingMessage(params),
    templates: () => app.request({ method: "resources/templates/list", params: {} }),
    log: (params) => app.sendLog(params),
    leave: () => app.requestTeardown(),
  };
});
