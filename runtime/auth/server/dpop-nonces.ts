import type { CryptoKey } from "jose";
import { base64Url } from "../shared/base64url.js";

/**
 * Nonces for DPoP proofs (RFC 9449, 9), derived from the time: processes with the same keys issue and accept the same ones,
 * and nothing is stored.
 */
export class DpopNonces {
  readonly #keys: Promise<readonly CryptoKey[]>;
  readonly #seconds: number;
  /** Nonces by period, for each key: those of few periods. */
  readonly #known = new Map<number, Promise<readonly string[]>>();

  /**
   * @param keys the first issues; all are accepted
   * @param seconds length of a period
   */
  constructor(keys: readonly string[], seconds: number) {
    this.#seconds = seconds;
    const imported = keys.map((key) =>
      crypto.subtle.importKey(
        "raw",
        new TextEncoder().encode(key),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign"],
      ),
    );
    this.#keys = Promise.all(imported);
  }

  async current(): Promise<string> {
    return (await this.#nonces(this.#period))[0]!;
  }

  /** Whether a nonce is that of this period or of one beside it: the clocks of processes differ. */
  async accepts(nonce: unknown): Promise<boolean> {
    const now = this.#period;
    const all = await Promise.all([now, now - 1, now + 1].map((period) => this.#nonces(period)));
    return all.some((nonces: readonly unknown[]) => nonces.includes(nonce));
  }

  get #period(): number {
    return Math.floor(Date.now() / 1000 / this.#seconds);
  }

  #nonces(period: number): Promise<readonly string[]> {
    let found = this.#known.get(period);
    if (!found) {
      if (this.#known.size > 9) this.#known.clear();
      this.#known.set(period, (found = this.#derive(period)));
    }
    return found;
  }

  async #derive(period: number): Promise<readonly string[]> {
    const text = new TextEncoder().encode(`mcpgen DPoP nonce ${period}`);
    const keys = await this.#keys;
    return Promise.all(keys.map(async (key) => base64Url(await crypto.subtle.sign("HMAC", key, text))));
  }
}
