import { BoundedMap, unref } from "@mcpgen/runtime/extending";
import { revokeUnredeemed } from "./grants.js";
import type { Proxy } from "./proxy.js";

/** Logins that are remembered at most. */
const mostLogins = 10_000;

/**
 * The logins of this process whose codes were not exchanged here. When a code expires that no process has exchanged, the tokens of
 * its login are revoked at the upstream.
 */
export class UnredeemedLogins {
  /** Seconds since 1970 at which the codes expire, by login. All codes live equally long: the first one expires first. */
  readonly #expiries = new BoundedMap<string, number>({ count: mostLogins, full: "refuse" });
  #isTimed = false;

  add(proxy: Proxy, id: string, expires: number): void {
    this.#expiries.set(id, expires);
    // On platforms without lasting timers, the next login does the work.
    this.#sweep(proxy);
  }

  delete(id: string): void {
    this.#expiries.delete(id);
  }

  #sweep(proxy: Proxy): void {
    const { settings } = proxy;
    for (const [id, expires] of this.#expiries) {
      if (expires > settings.seconds()) return this.#time(proxy, expires * 1000 - settings.now());
      this.#expiries.delete(id);
      // The store may be away for a moment.
      revokeUnredeemed(proxy, id).catch((error: unknown) => {
        settings.emit({ type: "not-revoked", reason: (error as Error).name });
      });
    }
  }

  #time(proxy: Proxy, delay: number): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    const again = (): void => {
      this.#isTimed = false;
      this.#sweep(proxy);
    };
    unref(setTimeout(again, delay));
  }
}
