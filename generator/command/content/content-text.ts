import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Saved } from "./save.js";

/**
 * The result of a tool for people: its content, block by block; where the structured content says more than a text
 * block that repeats it, that too.
 */
export function resultText(result: JsonObject, saved: readonly Saved[] = []): string {
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const blocks = content.map((block) => contentText(block, saved));
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

/** One block of content; for content that is no text, its size and the file that it was saved to. */
export function contentText(block: JsonValue, saved: readonly Saved[] = []): string {
  if (!isJsonObject(block)) return JSON.stringify(block);
  const { type, text, mimeType, data, uri, name, resource } = block;
  switch (type) {
    case "text":
      return String(text);
    case "image":
    case "audio":
      return `[${type} ${String(mimeType)}, ${bytesOf(data)} bytes${savedTo(block, saved)}]`;
    case "resource_link":
      return `[resource ${String(name)}: ${String(uri)}]`;
    case "resource":
      return isJsonObject(resource) ? resourceText(resource, saved) : JSON.stringify(block);
    default:
      return JSON.stringify(block);
  }
}

/** The content of a resource, with its address. */
export function resourceText(resource: JsonObject, saved: readonly Saved[] = []): string {
  const { uri, mimeType, text, blob } = resource;
  const kind = mimeType === undefined ? "" : ` ${String(mimeType)}`;
  const place = savedTo(resource, saved);
  if (typeof text === "string")
    return `[resource ${String(uri)}${kind}${place}]${place === "" ? `\n${text}` : ""}`;
  return `[resource ${String(uri)}${kind}, ${bytesOf(blob)} bytes${savedTo(resource, saved)}]`;
}

function savedTo(holder: JsonObject, saved: readonly Saved[]): string {
  const found = saved.find(({ piece }) => piece.holder === holder);
  return found === undefined ? "" : `, saved to ${found.file}`;
}

/** A result for programs: what was saved is named by its file, not repeated in base64. */
export function withFiles(value: JsonValue, saved: readonly Saved[]): JsonValue {
  if (saved.length === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withFiles(item, saved));
  const found = saved.find(({ piece }) => piece.holder === value);
  const entries = Object.entries(value).map(([key, member]) =>
    found?.piece.member === key
      ? (["file", found.file] as const)
      : ([key, withFiles(member!, saved)] as const),
  );
  return Object.fromEntries(entries);
}

/** The size of data in base64. */
function bytesOf(data: JsonValue | undefined): number {
  return typeof data === "string" ? Buffer.byteLength(data, "base64") : 0;
}
