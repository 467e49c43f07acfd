// Only the compiler reads this file (npm run typecheck): marked lines must not compile, all others must.
import { connect } from "@mcpgen/runtime/all";
import { z } from "zod";

const client = await connect("stdio:server");

const { sum } = await client.request(
  "acme/sum",
  { a: 1 },
  { result: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } },
);
sum.toFixed();
const { sum: same } = await client.request("acme/sum", {}, { result: z.object({ sum: z.number() }) });
// @ts-expect-error It is a number.
same.length.toFixed();
const { content } = await client.request("tools/call", { name: "a" });
content.length.toFixed();
const parsed = await client.request("tools/call", { name: "a" }, { result: z.object({ n: z.number() }) });
parsed.n.toFixed();

client.handle(
  "acme/confirm",
  { params: z.object({ text: z.string() }), result: z.object({ yes: z.boolean().default(true) }) },
  async ({ text }, { signal, progress }) => {
    progress(text.length);
    return signal.aborted ? {} : { yes: true };
  },
);
client.handle(
  "acme/confirm",
  {
    params: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    result: { type: "object", properties: { kind: { enum: ["a", "b"] } }, required: ["kind"] },
  },
  ({ text }) => ({ kind: text === "" ? "a" : "b" }),
);
// @ts-expect-error The result is not what the schema takes.
client.handle("acme/b", { result: z.object({ yes: z.boolean() }) }, () => ({ yes: "no" }));
// @ts-expect-error A result is an object.
client.handle("acme/b", {}, () => "no");
client.handle("acme/c", {}, (params) => ({ ...params }));
client.handle("*", (params, { method }) => ({ method, token: params._meta?.["progressToken"] }));
client.on("notifications/acme/a", { params: z.object({ n: z.number() }) }, ({ n }) => n.toFixed());
// @ts-expect-error It is a number.
client.on("notifications/acme/a", { params: z.object({ n: z.number() }) }, ({ n }) => n.length);
