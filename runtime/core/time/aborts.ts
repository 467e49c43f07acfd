import type { RequestOptions } from "@mcpgen/protocol/model";

type Signal = NonNullable<RequestOptions["signal"]>;

/** The callbacks of one signal, and the listener that calls them. */
interface Listener {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

/** Callbacks for abort signals, with one listener a signal: platforms warn of a leak where many calls share a signal. */
export class Aborts {
  private readonly bySignal = new Map<Signal, Listener>();

  /** Calls once when `signal` aborts. Returns what removes the callback. */
  on(signal: Signal, callback: () => void): () => void {
    let listener = this.bySignal.get(signal);
    if (!listener) {
      const callbacks = new Set<() => void>();
      const fire = (): void => [...callbacks].forEach((each) => each());
      this.bySignal.set(signal, (listener = { callbacks, fire }));
      signal.addEventListener("abort", fire);
    }
    listener.callbacks.add(callback);
    return () => this.off(signal, callback);
  }

  private off(signal: Signal, callback: () => void): void {
    const listener = this.bySignal.get(signal);
    if (!listener?.callbacks.delete(callback) || listener.callbacks.size > 0) return;
    this.bySignal.delete(signal);
    signal.removeEventListener("abort", listener.fire);
  }
}
