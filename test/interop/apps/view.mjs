// The behaviour of each View: it receives the notifications about the tool, sends every request to the host, and
// reports to the page above it.
import { garbage } from "./garbage.mjs";

/** The tool that a View offers to its host. */
export const capabilities = { availableDisplayModes: ["inline", "fullscreen"], tools: {} };
export const ownTool = { name: "select", inputSchema: { type: "object" } };
export const ownResult = (name) => ({ content: [{ type: "text", text: name }] });

/** Messages that are not of the channel: the host ignores them. */
const tell = (message) => window.parent.postMessage({ report: message }, "*");
const ofOurHost = new URLSearchParams(location.search).has("garbage");

/** @param open opens the View; takes a listener of notifications and the answer to the end, returns what it can send */
export async function run(open) {
  const heard = [];
  const waiting = new Map();
  const arrival = (name) => new Promise((resolve) => waiting.set(name, resolve));
  const [result, context, cancelled] = ["result", "context", "cancelled"].map(arrival);
  window.addEventListener("error", ({ message }) => tell({ uncaught: message }));
  window.addEventListener("unhandledrejection", ({ reason }) => tell({ uncaught: String(reason) }));
  try {
    if (ofOurHost) garbage(window.parent);
    const view = await open(
      (name, params) => {
        heard.push([name, params]);
        waiting.get(name)?.(params);
      },
      () => {
        tell({ torn: true });
        return {};
      },
    );
    await result;
    if (ofOurHost) garbage(window.parent);
    const answers = await requests(view);
    await view.size({ width: 320, height: 200 });
    await view.log({ level: "info", logger: "view", data: { a: 1 } });
    await Promise.all([context, cancelled]);
    tell({ opened: view.opened, heard, answers });
    await view.leave();
  } catch (error) {
    tell({ uncaught: String(error?.stack ?? error) });
  }
}

async function requests(view) {
  const text = (value) => ({ type: "text", text: value });
  const file = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } };
  const stop = new AbortController();
  const stopped = outcome(view.callTool({ name: "wait", arguments: {} }, { signal: stop.signal }));
  const answers = {
    tool: await outcome(view.callTool({ name: "add", arguments: { a: 2, b: 3 } })),
    wrongTool: await outcome(view.callTool({ name: "none", arguments: {} })),
    resource: await outcome(view.readResource({ uri: "data://notes" })),
    resources: await outcome(view.listResources({})),
    link: await outcome(view.openLink({ url: "https://a.example/" })),
    refusedLink: await outcome(view.openLink({ url: "https://refused.example/" })),
    message: await outcome(view.message({ role: "user", content: [text("hello")] })),
    context: await outcome(
      view.updateContext({ content: [text("state")], structuredContent: { a: { b: [1] } } }),
    ),
    mode: await outcome(view.displayMode({ mode: "fullscreen" })),
    download: await outcome(view.download({ contents: [file] })),
    sample: await outcome(
      view.sample({ maxTokens: 1, messages: [{ role: "user", content: text("hello") }] }),
    ),
    templates: await outcome(view.templates()),
    ping: await outcome(view.ping()),
  };
  stop.abort("enough");
  return { ...answers, stopped: (await stopped).failed !== undefined };
}

function outcome(promise) {
  return promise.then(
    (value) => ({ value }),
    (error) => ({ failed: String(error.message), code: error.rpcCode ?? error.code }),
  );
}
