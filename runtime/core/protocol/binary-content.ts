import type * as platform from "../platform/platform.js";
import { isObject } from "../jsonrpc/message.js";
import { toBase64 } from "./base64.js";

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
  if (Array.isArray(value)) return value.some(holdsBytes);
  if (!isObject(value)) return false;
  return direct.some((name) => isBytes(value[name])) || nested.some((name) => holdsBytes(value[name]));
}

/** Base64 (RFC 4648, section 4), with padding or without: readers take both. */
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The first place of received content whose text should be base64 and is not: readers see a broken image, or none.
 *
 * @param value content, a list of it, or a result with content
 */
export function brokenBase64(value: unknown, place = ""): string | undefined {
  const parts = Array.isArray(value)
    ? value.map((item: unknown, index) => [`${place}[${index}]`, item] as const)
    : isObject(value)
      ? nested.map((name) => [place === "" ? name : `${place}.${name}`, value[name]] as const)
      : [];
  for (const [there, part] of parts) {
    const wrong = part === undefined ? undefined : brokenBase64(part, there);
    if (wrong !== undefined) return wrong;
  }
  if (!isObject(value)) return undefined;
  const { type, data, blob } = value;
  // Other kinds of content may have any data.
  if ((type === "image" || type === "audio") && isBroken(data)) return `${place}.data`;
  return isBroken(blob) ? `${place}.blob` : undefined;
}

function isBroken(text: unknown): boolean {
  if (typeof text !== "string") return false;
  const padding = text.indexOf("=");
  return !base64.test(text) || (padding < 0 ? text.length : padding) % 4 === 1;
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
