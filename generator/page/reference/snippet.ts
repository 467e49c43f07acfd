import type { JsonObject } from "@mcpgen/engine";
import type { Method } from "../../model/model.js";
import { stringLiteral } from "../../print/text.js";

/**
 * Code of a client that sends a method, or that answers or hears one. A client sets `_meta` itself.
 *
 * @param params the smallest valid ones
 */
export function snippetOf(
  { name, kind, senders }: Method,
  params: JsonObject | undefined,
): string | undefined {
  const given = Object.entries(params ?? {}).filter(([member]) => member !== "_meta");
  const text = given.length > 0 ? `, ${JSON.stringify(Object.fromEntries(given), undefined, 2)}` : "";
  const method = stringLiteral(name);
  if (kind === "request" && senders.includes("client"))
    return program(`const result = await client.request(${method}${text});\nconsole.log(result);`);
  if (kind === "notification" && senders.includes("client"))
    return program(`await client.notify(${method}${text});`);
  if (kind === "notification") return program(`client.on(${method}, (params) => console.log(params));`);
  return undefined;
}

function program(lines: string): string {
  return [
    'import { connect } from "@mcpgen/runtime/all";',
    "",
    'const client = await connect("https://example.com/mcp");',
    lines,
    "await client.close();",
  ].join("\n");
}
