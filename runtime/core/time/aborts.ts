import type { RequestOptions } from "@mcpgen/protocol/model";

type Signal = NonNullable<RequestOptions["signal"]>;

/** Who waits for a signal, and what hears it for them all. */
interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

/**
 * Who wants to hear of abort signals: one listener a signal, however many wait for it. Many calls may share
 * a signal, and platforms take many listeners for a leak.
 */
export class Aborts {
  private readonly bySignal = new Map<Signal, Waiting>();

  /** Calls once when `signal` aborts. Returns what calls it off. */
  on(signal: Signal, callback: () => void): () => void {
    let waiting = this.bySignal.get(signal);
    if (!waiting) {
      const callbacks = new Set<() => void>();
      const fire = (): void => [...callbacks].forEach((each) => each());
      this.bySignal.set(signal, (waiting = { callbacks, fire }));
      signal.addEventListener("abort", fire);
    }
    waiting.callbacks.add(callback);
    return () => this.off(signal, callback);
  }

  private off(signal: Signal, callback: () => void): void {
    const waiting = this.bySignal.get(signal);
    if (!waiting?.callbacks.delete(callback) || waiting.callbacks.size > 0) return;
    this.bySignal.delete(signal);
    signal.removeEventListener("abort", waiting.fire);
  }
}
