// Only the compiler reads this file (npm run typecheck): marked lines must not compile, all others must.
import type { ContentBlock, Tool } from "@mcpgen/protocol/authoring";
import type { Client, CodeFirstServer, ConnectOptions, Open } from "@mcpgen/runtime";

declare const client: Client;

// A block may be of a kind that a later revision adds.
for (const block of (await client.callTool("x")).content) {
  switch (block.type) {
    case "text":
      block.text.toUpperCase();
      break;
    case "image":
    case "audio":
      block.mimeType.toUpperCase();
      break;
    case "resource":
    case "resource_link":
      break;
    default: {
      block.type.toUpperCase();
      // @ts-expect-error not all kinds are listed
      const none: never = block;
      void none;
    }
  }
  // @ts-expect-error a server sends listed kinds only
  const sent: ContentBlock = block;
  void sent;
}

for (const { messages } of [await client.getPrompt("x"), await client.request("prompts/get", { name: "x" })])
  for (const { content } of messages) if (content.type === "text") content.text.toUpperCase();

const [tool] = (await client.listTools()).items;
// @ts-expect-error the theme of an icon may be another
const theme: "light" | "dark" | undefined = tool!.icons?.[0]?.theme;
// @ts-expect-error so a listed tool is not always one that a server may list
const listed: Tool = tool!;
const read: Open<"Tool"> | undefined = tool;
// What is written may be read.
const written: Open<"Tool"> = {} as Tool;

// A request of a known method has its result; other methods name theirs.
const { tools } = await client.request("tools/list");
tools[0]!.name.toUpperCase();
const { contents } = await client.request("resources/read", { uri: "file:///x" }, { timeout: 1 });
contents[0]!.uri.toUpperCase();
const { value } = await client.request<{ value: string }>("acme/measure", { depth: 2 });
value.toUpperCase();
// @ts-expect-error without one, nothing is known of it
const unknown: number = (await client.request("acme/measure")).value;
declare const anyMethod: string;
await client.request(anyMethod, { depth: 2 });
await client.request(anyMethod as "tools/call" | "acme/measure", { depth: 2 });

// The parameters of a known method are those of the method, unless the call names its own result.
// @ts-expect-error the name is missing
await client.request("tools/call", { arguments: {} });
// @ts-expect-error a name is a string
await client.request("tools/call", { name: 5 });
// @ts-expect-error there is no such parameter
await client.request("tools/list", { page: 2 });
// @ts-expect-error the parameters are missing
await client.request("resources/read");
await client.request<object>("tools/call", { name: "x", task: { ttl: 1000 } });

// Handlers receive what a server of a later revision may send.
export const options: Pick<ConnectOptions, "elicit" | "sample"> = {
  elicit: ({ requestedSchema }) => {
    for (const field of Object.values(requestedSchema.properties)) {
      if (field.type === "number") field.minimum?.toFixed();
      // @ts-expect-error a field may be of an unlisted kind
      const kind: "string" | "number" | "integer" | "boolean" | "array" = field.type;
      void kind;
    }
    return { action: "decline" };
  },
  sample: ({ messages }) => {
    // @ts-expect-error content may be of an unlisted kind
    const sent: ContentBlock[] = messages.flatMap(({ content }) => content);
    void sent;
    return { role: "assistant", model: "m", content: { type: "text", text: "x" } };
  },
};
void [theme, listed, read, written, unknown];

// A gateway lists and returns what another server sent, unlisted members included.
declare const gateway: CodeFirstServer;
for (const tool of (await client.listTools()).items) {
  gateway.tool(tool.name, { description: tool.description ?? "", icons: tool.icons ?? [] }, (args) =>
    client.callTool(tool.name, args),
  );
  gateway.tool(tool.name, {}, async (args) => (await client.callTool(tool.name, args)).content);
}
for (const prompt of (await client.listPrompts()).items)
  gateway.prompt(prompt.name, prompt, () => client.getPrompt(prompt.name));
for (const resource of (await client.listResources()).items)
  gateway.resource(resource.uri, resource, (uri) => client.readResource(uri));
// What is written in code names listed kinds only.
// @ts-expect-error no such kind of content
gateway.tool("x", {}, () => [{ type: "vdeo", text: "x" }]);
// @ts-expect-error no such kind of content
gateway.tool("x", {}, () => ({ content: [{ type: "vdeo", text: "x" }] }));
// @ts-expect-error the text is missing
gateway.tool("x", {}, () => ({ content: [{ type: "text" }] }));
// @ts-expect-error no such theme
gateway.tool("x", { icons: [{ src: "https://example.com", theme: "neon" }] }, () => "x");
// @ts-expect-error no such kind of content
gateway.prompt("x", {}, () => ({ messages: [{ role: "user", content: { type: "vdeo" } }] }));
