import { isObject, type platform } from "@mcpgen/base";
import { placeOf } from "@mcpgen/engine/explain";
import type { Received } from "./revision-view.js";

/** Bytes in content, which are sent as base64. A `Buffer` is a `Uint8Array`. */
export type Bytes = Uint8Array | ArrayBuffer | platform.Blob;

/** Content, or an object that holds content, whose `data` or `blob` may be bytes. */
export type WithBytes<Value> = Value extends readonly (infer Item)[]
  ? WithBytes<Item>[]
  : {
      [Name in keyof Value]: Name extends "data" | "blob"
        ? Value[Name] | Bytes
        : Name extends "resource" | "content" | "messages"
          ? WithBytes<Value[Name]>
          : Value[Name];
    };

interface Fields {
  readonly [name: string]: unknown;
}

/** The members that may be bytes, and those that hold further content. */
const direct = ["data", "blob"];
const nested = ["content", "resource", "contents", "messages"];

/**
 * A value with base64 in place of bytes: content, a list of it, a result or the parameters of a request.
 *
 * @returns `undefined` if there are no bytes
 */
export function encodeBytes<Value>(value: Value): Promise<Value> | undefined {
  return holdsBytes(value) ? (encoded(value) as Promise<Value>) : undefined;
}

function holdsBytes(value: unknown): boolean {
  // Called with all results of handlers, which may be any value.
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsBytes);
  for (const name of direct) if (isBytes((value as Fields)[name])) return true;
  for (const name of nested) if (holdsBytes((value as Fields)[name])) return true;
  return false;
}

/** Warns of content whose bytes are not base64, in received messages of these kinds. */
export function contentWarnings(
  warn: (message: string) => void,
  kinds: readonly `incoming${"Requests" | "Results" | "Notifications"}`[],
): Received {
  const judging = (kind: string) => (method: string, value: object) => {
    const place = brokenBase64(value);
    if (place === undefined) return;
    const message = kind.slice("incoming".length, -1).toLowerCase();
    warn(`${method}: ${placeOf(place)} of the ${message} is not base64`);
  };
  return Object.fromEntries(kinds.map((kind) => [kind, judging(kind)]));
}

/**
 * The first place of received content whose text should be base64 but is not, so that users would see a broken image.
 *
 * @param value content, a list of it, a result or the parameters of a message
 * @returns JSON Pointer
 */
function brokenBase64(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return brokenItem(value);
  // Members are read by name, because a loop over a list of names is slower, and this runs for every received message.
  const { type, uri, mimeType, data, blob } = value as Members;
  // Other kinds of content may have any data, and the members of a form's answer depend on its schema.
  const isMedia = (type === "image" || type === "audio") && mimeType !== undefined;
  if (isMedia && isBroken(data)) return "/data";
  if (uri !== undefined && isBroken(blob)) return "/blob";
  const { content, resource, contents, messages, result } = value as Members;
  return (
    brokenIn("content", content) ??
    brokenIn("resource", resource) ??
    brokenIn("contents", contents) ??
    brokenIn("messages", messages) ??
    // The result of a task.
    brokenIn("result", result)
  );
}

/** The checked members of content, and members that hold further content. */
type Members = {
  readonly [Name in "type" | "uri" | "mimeType" | "data" | "blob"]?: unknown;
} & { readonly [Name in "content" | "resource" | "contents" | "messages" | "result"]?: unknown };

function brokenItem(items: readonly unknown[]): string | undefined {
  for (let index = 0; index < items.length; index++) {
    const place = brokenBase64(items[index]);
    if (place !== undefined) return `/${index}${place}`;
  }
  return undefined;
}

function brokenIn(name: string, member: unknown): string | undefined {
  const place = member === undefined ? undefined : brokenBase64(member);
  return place === undefined ? undefined : `/${name}${place}`;
}

/** Whether a text is not base64 (RFC 4648, section 4). Padding may be left out: readers take both. */
function isBroken(text: unknown): boolean {
  if (typeof text !== "string") return false;
  try {
    atob(text);
    return /\s/.test(text);
  } catch {
    return true;
  }
}

async function encoded(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(encoded));
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of direct) if (isBytes(value[name])) copy[name] = await base64Of(value[name]);
  for (const name of nested) if (holdsBytes(value[name])) copy[name] = await encoded(value[name]);
  return copy;
}

/** Test runners and other contexts have classes of the same names: `instanceof` would not find their objects. */
function isBytes(value: unknown): value is Bytes {
  return / (Uint8Array|ArrayBuffer|Blob|File)]/.test(Object.prototype.toString.call(value));
}

async function base64Of(bytes: Bytes): Promise<string> {
  return toBase64(new Uint8Array("size" in bytes ? await bytes.arrayBuffer() : bytes));
}

/** RFC 4648 §4, with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // One character at a time takes seconds and hundreds of megabytes for an image; spreading the bytes takes three times as long.
  for (let at = 0; at < bytes.length;)
    binary += String.fromCharCode.apply(null, bytes.subarray(at, (at += 8192)) as never);
  return btoa(binary);
}

/** RFC 4648 §5, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Strict: accepts only the canonical text of the bytes, so that every changed character is noticed. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = bytesOf(text);
  return bytes && toBase64(bytes) === text ? bytes : undefined;
}

/** Strict, like `fromBase64`. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = bytesOf(text.replaceAll("-", "+").replaceAll("_", "/"));
  return bytes && toBase64Url(bytes) === text ? bytes : undefined;
}

/** `atob` accepts missing padding and white space. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}
