// Only the compiler reads this file (npm run typecheck): marked lines must not compile, all others must.
import { type Registration, type ToolRegistration, createServer } from "@mcpgen/runtime/all";
import { z } from "zod";

const server = createServer({ name: "s", version: "1" });

const tool = server.tool("a", { inputSchema: z.object({ n: z.number() }) }, ({ n }) => String(n));
// The handler follows the schemas of the registration …
tool.update({ handler: ({ n }) => n.toFixed() });
// @ts-expect-error It is a number.
tool.update({ handler: ({ n }) => n.trim() });
// … or those of the same call.
tool.update({ inputSchema: z.object({ text: z.string() }), handler: ({ text }) => text.trim() });
tool.update({
  handler: async ({ text }, { signal }) => (signal.aborted ? "" : text.trim()),
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
});
tool.update({
  outputSchema: { type: "object", properties: { unit: { enum: ["c", "f"] } }, required: ["unit"] },
  handler: ({ n }) => ({ structuredContent: { unit: n > 1 ? "c" : "f" } }),
});
tool.update({
  outputSchema: z.object({ u: z.literal("a") }),
  // @ts-expect-error It is not what the schema takes.
  handler: () => ({ structuredContent: { u: "b" } }),
});
tool.update({ name: "b", title: undefined, outputSchema: undefined, visible: ({ name }) => name === "b" });
tool.update({ annotations: { readOnlyHint: true }, icons: [{ src: "data:," }] });
// @ts-expect-error There is no such member.
tool.update({ tittle: "T" });
// @ts-expect-error A name is a text.
tool.update({ name: 1 });

const typed = server.tool<{ a: number }>("typed", {}, ({ a }) => a.toFixed());
typed.update({ handler: ({ a }) => a.toFixed() });
typed.update<{ b: string }>({ handler: ({ b }) => b.trim() });

const untyped = server.tool("untyped", {}, () => "");
untyped.update({ handler: (args) => JSON.stringify(args["any"]) });

server.resource("x://a", {}, () => "").update({ uri: "x://b", name: "b", handler: (uri) => uri.trim() });

const template = server.resourceTemplate("x://{id}{?page}", {}, ({ id, page = "1" }) => id + page);
template.update({ handler: ({ id }) => id.trim(), complete: { id: () => [], page: () => [] } });
template.update({ uriTemplate: "y://{key}", handler: ({ key }) => key.trim(), complete: { key: () => [] } });
// @ts-expect-error The template has no such variable.
template.update({ handler: ({ other }) => other });
// @ts-expect-error The template has no such variable.
template.update({ uriTemplate: "y://{key}", complete: { id: () => [] } });
template.update({ list: async ({ revision }) => [{ uri: "x://1", title: revision, size: 3 }] });
// @ts-expect-error A resource has a URI.
template.update({ list: () => [{ name: "no URI" }] });

const prompt = server.prompt("p", { arguments: [{ name: "a", required: true }] }, ({ a }) => a.trim());
prompt.update({ handler: ({ a }) => a.trim(), complete: { a: () => [] } });
prompt.update({ arguments: z.object({ n: z.coerce.number() }), handler: ({ n }) => n.toFixed() });
prompt.update({
  name: "q",
  arguments: [{ name: "b" }],
  complete: { b: () => [] },
  handler: ({ b = "" }) => b,
});
// @ts-expect-error There is no such argument.
prompt.update({ complete: { b: () => [] } });

const all: Registration[] = [tool, typed, untyped, template, prompt];
for (const each of all) if (each.enabled) each.disable();
const tools: ToolRegistration[] = [tool, typed, untyped];
for (const each of tools) each.update({ description: "d" });

const mount = server.mount(createServer({ name: "other", version: "1" }), { prefix: "o", separator: "-" });
mount.unmount();
// @ts-expect-error There is no such separator.
server.mount(createServer({ name: "other", version: "1" }), { prefix: "o", separator: "/" });
// @ts-expect-error It is no server.
server.mount({});
