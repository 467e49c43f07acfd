// An app: a tool whose results a page of the server shows, and a host that displays it in a browser.
// Usage: node dist/examples/app/main.js [PORT]
import { readFile } from "node:fs/promises";
import { ui } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { type HttpRoute, serveHttp } from "@mcpgen/runtime/http";

const port = Number(process.argv[2] ?? 3000);

/** Celsius at noon of five days. */
const forecasts: Readonly<Record<string, readonly number[]>> = {
  bergen: [9, 11, 8, 12, 10],
  cairo: [31, 33, 32, 29, 30],
  lima: [18, 18, 19, 20, 19],
};
const cities = Object.keys(forecasts);

/** A page with one program inside: a View is one document, and loads nothing. */
async function pageOf(program: string, title: string): Promise<string> {
  const code = await readFile(new URL(`browser/${program}.js`, import.meta.url), "utf8");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>
<script type="module">${code.replaceAll("</script", "<\\/script")}</script></body></html>`;
}

const server = createServer(
  { name: "forecasts", version: "1.0.0" },
  { revisions: serverRevisions, extensions: [ui] },
);

const resourceUri = "ui://forecasts/chart";
server.tool(
  "forecast",
  {
    description: "The temperature at noon of the next days.",
    annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { city: { enum: cities } }, required: ["city"] },
    outputSchema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "array", items: { type: "number" } } },
      required: ["city", "days"],
    },
    _meta: { ui: { resourceUri } },
  },
  ({ city }) => ({ structuredContent: { city, days: [...forecasts[city]!] } }),
);

// Only Views call it: a host does not show it to the model.
server.tool(
  "cities",
  {
    description: "The cities that have a forecast.",
    outputSchema: { type: "object", properties: { cities: { type: "array", items: { type: "string" } } } },
    _meta: { ui: { visibility: ["app"] } },
  },
  () => ({ structuredContent: { cities } }),
);

server.resource(resourceUri, { name: "chart", mimeType: "text/html;profile=mcp-app" }, () =>
  pageOf("view", "Forecast"),
);

// Hosts are other programs. This one is a page beside the server, to look at the View.
const host: HttpRoute = {
  path: "/",
  handle: async () =>
    new Response(await pageOf("host", "Host"), { headers: { "content-type": "text/html; charset=utf-8" } }),
};

const { url, close } = await serveHttp(server, { port, routes: [host] });
console.error(`open ${new URL("/", url).href}`);
process.once("SIGTERM", () => void close());
