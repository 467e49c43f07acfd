import type * as platform from "../platform/platform.js";
import { isObject } from "../jsonrpc/message.js";
import { toBase64 } from "../protocol/base64.js";

/** Bytes in content, which are sent as base64. A `Buffer` is a `Uint8Array`. */
export type Bytes = Uint8Array | ArrayBuffer | platform.Blob;

/** Content whose `data` or `blob` may be bytes. */
export type WithBytes<Item> = {
  [Name in keyof Item]: Name extends "data" | "blob"
    ? Item[Name] | Bytes
    : Name extends "resource" | "content"
      ? WithBytes<Item[Name]>
      : Item[Name];
};

/** The members of an item that may be bytes, and those that hold another item. */
const direct = ["data", "blob"];
const nested = ["resource", "content"];

/**
 * Content, contents or messages with base64 in place of bytes.
 *
 * @returns `undefined` if there are no bytes
 */
export function encodeItems(items: unknown): Promise<unknown[]> | undefined {
  if (!Array.isArray(items) || !items.some(holdsBytes)) return undefined;
  return Promise.all(items.map(encoded));
}

function holdsBytes(item: unknown): boolean {
  if (!isObject(item)) return false;
  return direct.some((name) => isBytes(item[name])) || nested.some((name) => holdsBytes(item[name]));
}

async function encoded(item: unknown): Promise<unknown> {
  if (!isObject(item)) return item;
  const copy: Record<string, unknown> = { ...item };
  for (const name of direct) if (isBytes(item[name])) copy[name] = await base64Of(item[name]);
  for (const name of nested) if (holdsBytes(item[name])) copy[name] = await encoded(item[name]);
  return copy;
}

function isBytes(value: unknown): value is Bytes {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof Blob;
}

async function base64Of(bytes: Bytes): Promise<string> {
  const buffer = bytes instanceof Blob ? await bytes.arrayBuffer() : bytes;
  return toBase64(buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer));
}
