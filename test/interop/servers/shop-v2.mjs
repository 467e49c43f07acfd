// The old server of docs/guides/migration.md, on SDK 2.
import { McpServer, ResourceTemplate, completable } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const prices = { apple: 3, pear: 4 };
const text = (uri, mimeType, value) => ({ contents: [{ uri, mimeType, text: value }] });

serveStdio(() => {
  const server = new McpServer({ name: "shop", version: "1.4.0" });
  server.registerTool(
    "price",
    {
      description: "The price of some fruit.",
      inputSchema: z.object({ fruit: z.string(), count: z.number().int().min(1).default(1) }),
      outputSchema: z.object({ total: z.number() }),
    },
    ({ fruit, count }) => {
      if (!(fruit in prices)) throw new Error(`There is no ${fruit}.`);
      const total = prices[fruit] * count;
      return { content: [{ type: "text", text: JSON.stringify({ total }) }], structuredContent: { total } };
    },
  );
  server.registerResource("fruits", "shop://fruits", { mimeType: "application/json" }, ({ href }) =>
    text(href, "application/json", JSON.stringify(Object.keys(prices))),
  );
  const template = new ResourceTemplate("shop://labels/{fruit}", { list: undefined });
  server.registerResource("label", template, { mimeType: "text/plain" }, ({ href }, { fruit }) =>
    text(href, "text/plain", `One ${fruit}`),
  );
  const startingWith = (start) => Object.keys(prices).filter((name) => name.startsWith(start));
  server.registerPrompt(
    "advertise",
    {
      description: "Writes an advertisement.",
      argsSchema: z.object({ fruit: completable(z.string(), startingWith) }),
    },
    ({ fruit }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Advertise the ${fruit}.` } }],
    }),
  );
  return server;
});
