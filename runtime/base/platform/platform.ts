import type { Signal } from "@mcpgen/protocol/model";

// Types that the platform declares. Programs without the types of Node and of the DOM also compile: for them, each type
// has only the members that the runtime needs.

export type AbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Declared } }
  ? Declared
  : Signal;

export type URL = typeof globalThis extends { URL: { prototype: infer Declared } }
  ? Declared
  : { readonly href: string };

export type Blob = typeof globalThis extends { Blob: { prototype: infer Declared } }
  ? Declared
  : { readonly size: number; arrayBuffer(): Promise<ArrayBuffer> };

export type Headers = typeof globalThis extends { Headers: { prototype: infer Declared } }
  ? Declared
  : { forEach(each: (value: string, name: string) => void): void };

export type Request = typeof globalThis extends { Request: { prototype: infer Declared } }
  ? Declared
  : { readonly method: string; readonly url: string };

export type Response = typeof globalThis extends { Response: { prototype: infer Declared } }
  ? Declared
  : { readonly status: number };

export type RequestInit = typeof globalThis extends {
  fetch: (input: string, init?: infer Declared) => unknown;
}
  ? NonNullable<Declared>
  : object;
