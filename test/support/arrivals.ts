/** Lets a test wait until something more has arrived. */
export class Arrivals {
  private readonly waiting: (() => void)[] = [];

  /** Resolves with the next call of `announce`. */
  next(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  announce(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
