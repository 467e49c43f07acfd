/**
 * How many requests an endpoint is at work on, streams that only listen not counted, and those that were given up
 * counted till their handlers end; and how many bodies it is
 * reading: of those nobody knows yet whether a request waits for them.
 */
export class Load {
  private readonly most: number;
  private running = 0;
  private bodies = 0;

  /** @param most of each, from which on no more are taken up */
  constructor(most: number) {
    this.most = most;
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

  /** Returns what says that a body is read, or never will be. */
  beginReading(): () => void {
    this.bodies++;
    let reading = true;
    return () => {
      if (reading) this.bodies--;
      reading = false;
    };
  }

  /** @param more requests; less than none if they ended */
  add(more: number): void {
    this.running += more;
  }

  begin(): void {
    this.running++;
  }

  end(): void {
    this.running--;
  }
}
