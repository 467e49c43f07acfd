// Only the compiler reads this file (npm run typecheck): marked lines must not compile, all others must.
import { createServer } from "@mcpgen/runtime/all";
import { z } from "zod";

const server = createServer({ name: "s", version: "1" });

server.handle("tools/call", ({ name, arguments: given }) => ({
  content: [{ type: "text", text: `${name.length} ${Object.keys(given ?? {}).length}` }],
}));
// @ts-expect-error The result of tools/list has tools.
server.handle("tools/list", () => ({ prompts: [] }));
// A method that the vocabulary does not have has the types of the last revision with it.
server.handle("logging/setLevel", ({ level }: { level: string }) => ({ level }));
server.handle("resources/subscribe", ({ uri }) => ({ at: uri.length }));
// @ts-expect-error There is no such level.
server.handle("logging/setLevel", ({ level }: { level: "loud" }) => ({ level }));

server.handle(
  "acme/sum",
  { params: z.object({ values: z.array(z.number()) }), result: z.object({ sum: z.number().default(0) }) },
  ({ values }, { signal }) => (signal.aborted ? {} : { sum: values.length }),
);
server.handle(
  "acme/kind",
  {
    params: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    result: { type: "object", properties: { kind: { enum: ["a", "b"] } }, required: ["kind"] },
  },
  async ({ text }) => ({ kind: text === "" ? "a" : "b" }),
);
// @ts-expect-error The result is not what the schema takes.
server.handle("acme/b", { result: z.object({ yes: z.boolean() }) }, () => ({ yes: "no" }));
server.handle("acme/c", {}, (params) => ({ ...params }));
server.handle("*", (params, { method }) => ({ method, token: params._meta?.["progressToken"] }));
server.on("notifications/acme/a", { params: z.object({ n: z.number() }) }, ({ n }) => void n.toFixed());
// @ts-expect-error It is a number.
server.on("notifications/acme/a", { params: z.object({ n: z.number() }) }, ({ n }) => void n.length);
server.on("*", (_params, { session }) => void session?.listRoots());

for (const session of server.sessions) {
  const roots = await session.listRoots();
  roots[0]?.uri.toUpperCase();
  const { role } = await session.request("sampling/createMessage", { messages: [], maxTokens: 1 });
  role.toUpperCase();
  const { at } = await session.request("acme/where", {}, { result: z.object({ at: z.number() }) });
  at.toFixed();
  const answer = await session.elicit({
    message: "?",
    requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
  });
  // @ts-expect-error Only an answer that accepts has content.
  answer.content.ok.valueOf();
  if (answer.action === "accept") answer.content.ok.valueOf();
  session.notify("notifications/resources/updated", { uri: "x://y" });
  session.notify("notifications/acme/news", { a: 1 });
}
