import { McpError } from "@mcpgen/runtime";
import { Breaker, messageOf } from "@mcpgen/runtime/extending";
import { closedError } from "./memory-store.js";

/** Calls of an engine by a store that can be closed. */
export class EngineCalls {
  readonly #breaker: Breaker;
  #isClosed = false;

  /**
   * @param name of the engine, for errors
   * @param timeoutMs milliseconds after which a call without an answer fails, and others at once
   */
  constructor(name: string, timeoutMs: number) {
    this.#breaker = new Breaker(name, timeoutMs);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** @throws {McpError} `store-failed`: the store was closed */
  assertOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  /**
   * The answer to a call, which is made before this function returns.
   *
   * @throws {McpError} `store-failed`: the engine does not answer, the call fails, or the store was closed
   */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.assertOpen();
    return await this.#breaker.run(call).catch(failed);
  }

  /** The subscription that a call makes: a function that ends it. If it comes after the call has failed here, it is ended. */
  async open(call: () => Promise<() => Promise<void>>): Promise<() => Promise<void>> {
    let work: Promise<() => Promise<void>> | undefined;
    try {
      const end = await this.run(() => (work = call()));
      return () => end().catch(failed);
    } catch (error) {
      void work?.then((end) => end()).catch(() => {});
      throw error;
    }
  }
}

function failed(error: unknown): never {
  throw new McpError("store-failed", messageOf(error), { cause: error });
}
