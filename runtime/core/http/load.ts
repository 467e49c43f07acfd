/** How many requests an endpoint is at work on; streams that only listen do not count. */
export class Load {
  private readonly most: number;
  private running = 0;

  /** @param most from which on no request is taken up */
  constructor(most: number) {
    this.most = most;
  }

  get size(): number {
    return this.running;
  }

  get isFull(): boolean {
    return this.running >= this.most;
  }

  begin(): void {
    this.running++;
  }

  end(): void {
    this.running--;
  }
}
