import type { Quota } from "./quota.js";

/** What an endpoint is at work on. */
export class Load {
  /** Requests that are being answered. Streams that only listen do not count; cancelled ones do till their handlers end. */
  readonly running: Quota;
  /** Requests of sessions whose client lost its connection, and may come back. */
  readonly lost: Quota;
  /** Bodies that are being read: no request is known yet to wait for them. */
  readonly bodies: Quota;
  /** Bytes of bodies: of those on their way, and of those whose requests are being answered. */
  readonly held: Quota;

  /**
   * @param quota makes what principals share
   * @param most of requests and of bodies, from which on no more are taken up
   * @param mostHeld bytes of bodies
   */
  constructor(quota: (most: number) => Quota, most: number, mostHeld: number) {
    this.running = quota(most);
    this.lost = quota(most);
    this.bodies = quota(most);
    this.held = quota(mostHeld);
  }
}

/** A body that is being read. */
export class Reading {
  private readonly load: Load;
  private readonly principal: string;
  private bytes = 0;
  private over = false;
  /** Whether bytes of it were not taken, for too many are held. */
  isCrowded = false;

  constructor(load: Load, principal: string) {
    this.load = load;
    this.principal = principal;
    load.bodies.add(principal, 1);
  }

  /** Bytes of it have come. Says whether they are taken. */
  take(more: number): boolean {
    if (!this.load.held.take(this.principal, more)) this.isCrowded = true;
    else this.bytes += more;
    return !this.isCrowded;
  }

  /** It is read, or never will be. */
  end(): void {
    if (this.over) return;
    this.over = true;
    this.load.bodies.give(this.principal, 1);
    this.load.held.give(this.principal, this.bytes);
  }
}
