// Records all secrets of the fixtures, and all output of the code under test, which must not contain any of
// them.
import { type ChildProcess } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { format, inspect } from "node:util";

/** Shorter values may occur in output by chance. */
const shortest = 12;

/** Records secrets and output from its start to its end. */
export class SecretWatch {
  readonly #secrets = new Set<string>();
  readonly #texts: string[] = [];
  readonly #undo: (() => void)[] = [];

  /** Watches the output of this process and its child processes. */
  constructor() {
    watches.add(this);
    this.#undo.push(() => watches.delete(this));
    for (const stream of [process.stdout, process.stderr]) this.#wrap(stream, "write", ([text]) => text);
    for (const name of ["log", "info", "warn", "error", "debug", "trace"] as const)
      this.#wrap(console, name, (given) => format(...given));
    const started = (message: unknown): void => this.#child((message as { process: ChildProcess }).process);
    channel("child_process").subscribe(started);
    this.#undo.push(() => channel("child_process").unsubscribe(started));
  }

  end(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }

  secret(value: string): void {
    // In a JWT, only the signature is secret.
    const [, , signature, ...more] = value.split(".");
    const core = signature && more.length === 0 ? signature : value;
    if (core.length >= shortest) this.#secrets.add(core);
  }

  output(value: unknown): void {
    const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value;
    this.#texts.push(typeof text === "string" ? text : inspected(text));
  }

  get size(): { readonly secrets: number; readonly characters: number } {
    return {
      secrets: this.#secrets.size,
      characters: this.#texts.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** Returns the output that contains a secret. */
  leaks(): string[] {
    const all = this.#texts.join("\n");
    const found = [...this.#secrets].filter((secret) => forms(secret).some((form) => all.includes(form)));
    return this.#texts.filter((text) =>
      found.some((secret) => forms(secret).some((form) => text.includes(form))),
    );
  }

  #wrap<T, Name extends keyof T>(object: T, name: Name, textOf: (given: unknown[]) => unknown): void {
    const original = object[name] as (...given: unknown[]) => unknown;
    const wrapped = (...given: unknown[]): unknown => {
      this.output(textOf(given));
      return original.apply(object, given);
    };
    object[name] = wrapped as T[Name];
    this.#undo.push(() => {
      if (object[name] === (wrapped as T[Name])) object[name] = original as T[Name];
    });
  }

  #child(child: ChildProcess): void {
    // Wait for the streams of the new process. Nothing is read from them before the next turn.
    queueMicrotask(() => {
      for (const stream of [child.stdout, child.stderr]) {
        if (!stream) continue;
        const push = stream.push.bind(stream);
        stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
          if (chunk !== null && chunk !== undefined) this.output(chunk);
          return push(chunk, encoding);
        };
      }
      child.on("message", (message) => this.output(message));
    });
  }
}

const watches = new Set<SecretWatch>();

/** Whether output is being recorded. */
export const isWatched = (): boolean => watches.size > 0;

/** Records a secret. Returns it. */
export function minted<T extends string | undefined | null>(value: T): T {
  if (typeof value === "string") for (const watch of watches) watch.secret(value);
  return value;
}

/**
 * Records a value that the code under test passes to its user: an error, an event, or an answer. Returns it.
 */
export function shown<T>(value: T): T {
  for (const watch of watches) watch.output(value);
  return value;
}

/** A set that records its values as secrets. */
export class SecretSet extends Set<string> {
  override add(value: string): this {
    minted(value);
    return super.add(value);
  }
}

const inspected = (value: unknown): string =>
  inspect(value, {
    depth: 12,
    showHidden: true,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: Infinity,
  });

/** The forms in which a secret may occur in output. */
function forms(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  return encoded === secret ? [secret] : [secret, encoded];
}
