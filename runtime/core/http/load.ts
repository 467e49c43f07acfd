/**
 * How many requests an endpoint is at work on, streams that only listen not counted, and those that were given up
 * counted till their handlers end; those whose client lost its connection, and may come back, by themselves; and how
 * many bodies it is reading: no request is known yet to wait for them.
 */
export class Load {
  private readonly most: number;
  private running = 0;
  private lost = 0;
  private bodies = 0;
  private readonly mostHeld: number;
  private held = 0;

  /**
   * @param most of each, from which on no more are taken up
   * @param mostHeld bytes of bodies
   */
  constructor(most: number, mostHeld: number) {
    this.most = most;
    this.mostHeld = mostHeld;
  }

  get size(): number {
    return this.running;
  }

  get isFull(): boolean {
    return this.running >= this.most;
  }

  /** Whether there is room for so many requests more. */
  takes(requests: number): boolean {
    return this.running + requests <= this.most;
  }

  get reading(): number {
    return this.bodies;
  }

  /** Whether no more bodies are to be read. */
  get readsAll(): boolean {
    return this.bodies >= this.most;
  }

  /** Bytes of bodies: of those on their way, and of those whose requests are being answered. */
  get bytes(): number {
    return this.held;
  }

  beginReading(): Reading {
    this.bodies++;
    return new Reading(this);
  }

  /** A body is read, or never will be. @param bytes that came of it */
  endReading(bytes: number): void {
    this.bodies--;
    this.held -= bytes;
  }

  /** Holds so many more bytes; none where that would be too many. */
  hold(bytes: number): boolean {
    if (this.held + bytes > this.mostHeld) return false;
    this.held += bytes;
    return true;
  }

  /** Requests that came in so many bytes are being answered; less than none if they are answered. */
  holdOn(bytes: number): void {
    this.held += bytes;
  }

  /** @param more requests; less than none if they ended */
  add(more: number): void {
    this.running += more;
  }

  /** Whether too many requests of sessions go on without a connection. */
  get isForsaken(): boolean {
    return this.lost >= this.most;
  }

  /** @param more requests of sessions that lost their connection; less than none if they ended, or it came back */
  lose(more: number): void {
    this.lost += more;
  }

  begin(): void {
    this.running++;
  }

  end(): void {
    this.running--;
  }
}

/** A body that is being read. */
export class Reading {
  private readonly load: Load;
  private bytes = 0;
  private over = false;
  /** Whether bytes of it were not taken, for too many are held. */
  isCrowded = false;

  constructor(load: Load) {
    this.load = load;
  }

  /** Bytes of it have come. Says whether they are taken. */
  take(more: number): boolean {
    if (!this.load.hold(more)) this.isCrowded = true;
    else this.bytes += more;
    return !this.isCrowded;
  }

  /** It is read, or never will be. */
  end(): void {
    if (this.over) return;
    this.over = true;
    this.load.endReading(this.bytes);
  }
}
