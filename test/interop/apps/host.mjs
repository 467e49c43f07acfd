// The behaviour of each host: it calls a tool of the server and shows it in a View. `window.scenario` runs it.
import { garbage } from "./garbage.mjs";

export const info = { name: "Host", version: "1.0.0", extra: 1 };
const link = { text: {} };
export const capabilities = {
  ...{
    openLinks: {},
    serverTools: {},
    serverResources: {},
    logging: {},
    updateModelContext: link,
    message: link,
  },
  ...{ downloadFile: {}, sampling: {} },
  extra: { deep: [1] },
};
/** The answer of a model. */
export const sampled = ([message]) => ({
  ...{ model: "echo", role: "assistant", stopReason: "endTurn" },
  content: message.content,
});
export const context = {
  ...{
    theme: "dark",
    displayMode: "inline",
    availableDisplayModes: ["inline", "fullscreen"],
    locale: "en-GB",
  },
  extra: { deep: [1] },
};

/** @param open opens the host; returns its requests and notifications, after the View is initialized */
export function run(isOurs, open) {
  window.scenario = async (server, page, ofOurView) => {
    const heard = [];
    const waiting = new Map();
    const arrival = (name) => new Promise((resolve) => waiting.set(name, resolve));
    const [size, leave] = ["size", "leave"].map(arrival);
    const reports = [];
    window.addEventListener("message", ({ data }) => data?.report && reports.push(data.report));
    const uncaught = [];
    window.addEventListener("error", ({ message }) => uncaught.push(message));
    window.addEventListener("unhandledrejection", ({ reason }) => uncaught.push(String(reason)));
    const frame = newFrame();
    let rounds = 0;
    await new Promise((resolve) => {
      window.addEventListener("message", ({ data, source }) => {
        if (!data?.rounds) return;
        resolve(++rounds);
        source.postMessage({ nextRound: true }, "*");
      });
      newFrame().src = "stranger.html";
    });
    const host = await open(
      new URL(server, location.href).href,
      frame,
      () => (frame.src = `${page}${isOurs ? "?garbage" : ""}`),
      (name, params) => {
        heard.push([name, params]);
        waiting.get(name)?.();
      },
      ({ url }) => url.includes("refused"),
    );
    const attack = () => ofOurView && garbage(frame.contentWindow);
    attack();
    const given = { a: 1, b: 2 };
    const result = await host.client.callTool({ name: "add", arguments: given });
    await host.partial({ arguments: { a: 1 }, extra: 1 });
    await host.input({ arguments: given, extra: 1 });
    await host.result({ ...result, extra: { deep: [1] } });
    const pinged = await host.ping();
    const [tools, used] = await host.tools();
    attack();
    await size;
    await host.context({ theme: "light", extra: [2] });
    await host.cancelled({ reason: "enough", extra: 1 });
    await leave;
    const torn = await host.teardown();
    await host.close();
    return {
      rounds,
      heard,
      reports,
      uncaught,
      errors: host.errors,
      tools,
      used,
      pinged,
      torn,
      polluted: {}.polluted,
    };
  };
}

function newFrame() {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  document.body.append(frame);
  return frame;
}
