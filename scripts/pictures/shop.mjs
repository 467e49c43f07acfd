// The sample server of the pictures: node scripts/pictures/shop.mjs
import "@mcpgen/runtime/stdio-guard";
import { createServer } from "@mcpgen/runtime/all";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { z } from "zod";

const prices = { "desk lamp": 40, "floor lamp": 90, chair: 120 };

const server = createServer(
  { name: "shop", title: "Corner shop", version: "1.0.0" },
  {
    instructions:
      "Look an article up with `search` **before** you order it.\n\n1. `search` finds articles.\n2. `order` asks where to send them.",
  },
);

server.tool(
  "search",
  {
    description: "Finds articles by words in their names.",
    inputSchema: z.object({ text: z.string().describe("A word, such as `lamp`.") }),
    annotations: { readOnlyHint: true },
  },
  ({ text }) =>
    Object.keys(prices)
      .filter((name) => name.includes(text))
      .join("\n"),
);

server.tool(
  "order",
  {
    description: "Orders an article, after the user has said where it goes.",
    inputSchema: z.object({
      article: z.string().describe("An article that `search` found."),
      count: z.int().min(1).max(20).default(1),
    }),
    outputSchema: z.object({ article: z.string(), total: z.number(), street: z.string() }),
  },
  async ({ article, count }, { ask }) => {
    const address = z.object({ street: z.string().min(1), express: z.boolean().default(false) });
    const answer = await ask.elicit("address", {
      message: `Where shall ${count} × ${article} go?`,
      requestedSchema: address,
    });
    if (answer.action !== "accept")
      return { isError: true, content: [{ type: "text", text: "Nothing was ordered." }] };
    const { street } = answer.content;
    return { structuredContent: { article, total: (prices[article] ?? 0) * count, street } };
  },
);

server.tool("hours", { description: "Says when the shop is open." }, () => "Monday to Friday, 9 to 18.");

serveStdio(server);
