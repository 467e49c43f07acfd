import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";

/** A gate that opens once, and the promises that wait for it. */
class Gate {
  began = new Latch();
  opened = new Latch();
  aborted = new Latch();
}

class Latch {
  open;
  passed = new Promise((resolve) => (this.open = resolve));
}

/**
 * The server of the suite. Cases steer it by its tools, so that the same ones can be run from inside and over
 * sockets: what waits waits at a gate that has a name.
 */
export function fixture(options = {}) {
  const server = createServer(
    { name: "portable", version: "1.0.0" },
    { revisions: serverRevisions, capabilities: { logging: {} }, ...options },
  );
  const gates = new Map();
  const gate = (name) => gates.get(name) ?? gates.set(name, new Gate()).get(name);
  addPlain(server);
  addGates(server, gate);
  addAsking(server);
  addChanging(server);
  return server;
}

function addPlain(server) {
  server.tool("echo", { inputSchema: textSchema }, ({ text }) => text);
  server.tool("length", { inputSchema: textSchema }, ({ text }) => String(text.length));
  server.tool("whoami", {}, (_, { auth }) => String(auth));
  server.tool("fail", {}, () => {
    throw new Error("it went wrong");
  });
  server.tool(
    "add",
    {
      inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
      outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    },
    ({ a, b }) => ({ structuredContent: { sum: a + b } }),
  );
  server.tool("steps", {}, async ({ count }, { progress }) => {
    for (let step = 1; step <= count; step++) {
      await Promise.resolve();
      progress(step, count);
    }
    return "stepped";
  });
  server.tool("wait", {}, async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return "waited";
  });
  server.tool("tell", {}, (_, { log }) => {
    log("info", "logged");
    return "said";
  });
  server.tool("route", { inputSchema: routed }, (args) => JSON.stringify(args));
  server.resource("note://one", { name: "one" }, () => "one");
  server.resource("note://zwei/für", { name: "zwei" }, () => "zwei");
  server.prompt("hello", {}, () => "hello");
}

const textSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

/** A schema whose parameters headers mirror. */
const routed = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    limit: { type: "integer", "x-mcp-header": "Limit" },
  },
};

function addGates(server, gate) {
  // Reports progress before it waits, and after; it also ends when its request is cancelled.
  server.tool("hold", {}, async ({ name, steps = 0 }, { progress, signal }) => {
    const { began, opened, aborted } = gate(name);
    signal.addEventListener("abort", () => aborted.open());
    for (let step = 1; step <= steps; step++) progress(step, 2 * steps);
    began.open();
    await Promise.race([opened.passed, aborted.passed]);
    for (let step = 1; step <= steps; step++) progress(steps + step, 2 * steps);
    return "held";
  });
  server.tool("open", {}, ({ name }) => {
    gate(name).opened.open();
    return "opened";
  });
  // Answers when the event has happened to the request that waits at the gate.
  server.tool("seen", {}, async ({ name, what }) => {
    await gate(name)[what].passed;
    return what;
  });
  server.tool("poll", {}, async ({ name }, { disconnect }) => {
    disconnect(700);
    gate(name).began.open();
    await gate(name).opened.passed;
    return "polled";
  });
}

function addAsking(server) {
  let orders = 0;
  // It waits where a process can wait, and runs again elsewhere.
  server.tool("greet", { replay: true }, async (_, { ask, once }) => {
    const order = await once("order", () => ++orders);
    const answer = await ask.elicit("name", {
      message: "Who is it?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    if (answer.action !== "accept") return answer.action;
    return `Hello, ${answer.content.name}${orders === order ? "" : ", who ordered twice"}`;
  });
}

function addChanging(server) {
  const late = server.tool("late", {}, () => "late");
  let isLate = true;
  server.tool("change", {}, () => {
    isLate = !isLate;
    if (isLate) late.enable();
    else late.disable();
    server.resourceUpdated("note://one");
    return "changed";
  });
  server.tool("touch", {}, ({ uri }) => {
    server.resourceUpdated(uri);
    return "touched";
  });
}
