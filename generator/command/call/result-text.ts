import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";

/**
 * The result of a tool for people: its content, block by block; where the structured content says more than a text
 * block that repeats it, that too.
 */
export function resultText(result: JsonObject): string {
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const blocks = content.map((block) => (isJsonObject(block) ? blockText(block) : JSON.stringify(block)));
  const structured = result["structuredContent"];
  if (structured !== undefined && !content.some((block) => repeats(block, structured)))
    blocks.push(JSON.stringify(structured, null, 2));
  return blocks.join("\n");
}

/** Servers repeat structured content as text for clients that do not know it (2025-11-25, server/tools). */
function repeats(block: JsonValue, structured: JsonValue): boolean {
  if (!isJsonObject(block) || typeof block["text"] !== "string") return false;
  try {
    return JSON.stringify(JSON.parse(block["text"])) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function blockText(block: JsonObject): string {
  const { type, text, mimeType, data, uri, name, resource } = block;
  switch (type) {
    case "text":
      return String(text);
    case "image":
    case "audio":
      return `[${type} ${String(mimeType)}, ${bytesOf(data)} bytes]`;
    case "resource_link":
      return `[resource ${String(name)}: ${String(uri)}]`;
    case "resource":
      return isJsonObject(resource) ? resourceText(resource) : JSON.stringify(block);
    default:
      return JSON.stringify(block);
  }
}

function resourceText({ uri, mimeType, text, blob }: JsonObject): string {
  const kind = mimeType === undefined ? "" : ` ${String(mimeType)}`;
  if (typeof text === "string") return `[resource ${String(uri)}${kind}]\n${text}`;
  return `[resource ${String(uri)}${kind}, ${bytesOf(blob)} bytes]`;
}

/** Of data in base64. */
function bytesOf(data: JsonValue | undefined): number {
  return typeof data === "string" ? Buffer.byteLength(data, "base64") : 0;
}
