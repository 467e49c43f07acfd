// One of several processes that serve the same clients. They share keys, and a bus over the pipes of the process that
// started them.
import { serverRevisions } from "@mcpgen/protocol";
import { type NotificationBus, createServer, memoryStateStore } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";

type Change = Parameters<NotificationBus["publish"]>[0];

const listeners = new Set<(change: Change) => void>();
process.on("message", (change: Change) => {
  for (const listener of listeners) listener(change);
});

/** A published change comes back to every process, also to this one. */
const changes: NotificationBus = {
  publish: (change) => void process.send!({ change }),
  subscribe(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

// A store for all of them would refuse a state that was used before; none is here.
const state = {
  keys: ["shared between the replicas of this test"],
  parking: false,
  store: memoryStateStore(),
} as const;
const server = createServer(
  { name: "replica", version: "1.0.0" },
  { revisions: serverRevisions, changes, state },
);
server.resource("note://shared", {}, () => "shared");
server.tool("pid", {}, () => `${process.pid}`);
server.tool("touch", {}, () => {
  server.resourceUpdated("note://shared");
  return `${process.pid}`;
});
server.tool("greet", { replay: true }, async (_, { ask, once }) => {
  const first = await once("first", () => process.pid);
  const name = await ask.elicit<{ name: string }>("name", {
    message: "Who is it?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  });
  const sure = await ask.elicit("sure", {
    message: "Sure?",
    requestedSchema: { type: "object", properties: {} },
  });
  if (name.action !== "accept" || sure.action !== "accept") return "none";
  return JSON.stringify({ name: name.content.name, moved: first !== process.pid });
});

const { port } = await serveHttp(server, { port: 0, sessions: false });
process.send!({ port });
process.once("disconnect", () => process.exit());
