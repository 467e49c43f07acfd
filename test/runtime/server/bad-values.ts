import { McpError } from "@mcpgen/runtime";
import { afterEach, beforeEach } from "vitest";

/** Makes a value that is hard to read, print or send. */
type Make = () => unknown;

function cycle(): object {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const refusing = (): never => {
  throw new Error("a trap");
};

/** An error of our class that throws at each access. */
function closed(): object {
  return new Proxy(new McpError("internal-error", "x"), { get: refusing });
}

/** A proxy that throws at each access. */
function hostile(): object {
  const traps = ["get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor"] as const;
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, refusing])));
}

class Mute extends Error {
  override get message(): string {
    return refusing();
  }
}

/** Values that could do harm if a handler throws, returns or sends them. */
export const badValues: { readonly [name: string]: Make } = {
  nothing: () => undefined,
  null: () => null,
  "a number": () => 3,
  "a big integer": () => 3n,
  "a symbol": () => Symbol("s"),
  "a boolean": () => true,
  "a function": () => () => {},
  "a list with nothing in it but nothing": () => [undefined],
  "an object without a prototype": () => Object.create(null) as unknown,
  "a cycle": cycle,
  "a revoked proxy": revoked,
  "a proxy that throws": hostile,
  "an object whose toString throws": () => ({ toString: refusing }),
  "an object whose toJSON throws": () => ({ toJSON: refusing }),
  "an object whose toJSON gives nothing": () => ({ toJSON: () => undefined }),
  "an object whose then throws": () => Object.defineProperty({}, "then", { get: refusing }),
  "a promise that throws when it is waited for": () => ({ then: refusing }),
  "an McpError whose members throw": closed,
  "an error whose message throws": () => new Mute(),
};

/** Counts unhandled rejections of a test: a value that may not be printed cannot be compared. */
export function unhandledRejections(): { readonly count: number } {
  const seen = { count: 0 };
  const note = (): void => void seen.count++;
  beforeEach(() => {
    seen.count = 0;
    process.on("unhandledRejection", note);
  });
  afterEach(() => void process.off("unhandledRejection", note));
  return seen;
}
