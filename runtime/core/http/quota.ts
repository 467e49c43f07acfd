/** An amount that all principals share, and of which each may take a part. */
export class Quota {
  private readonly most: number;
  private readonly each: number;
  private taken = 0;
  private readonly byPrincipal = new Map<string, number>();

  /**
   * @param most in all
   * @param each for one principal
   */
  constructor(most: number, each = most) {
    this.most = most;
    this.each = Math.min(each, most);
  }

  /** What is taken, in all. */
  get size(): number {
    return this.taken;
  }

  /** Takes so much for a principal; nothing is taken where too little is left. */
  take(principal: string, amount: number): boolean {
    const own = (this.byPrincipal.get(principal) ?? 0) + amount;
    if (own > this.each || this.taken + amount > this.most) return false;
    if (own > 0) this.byPrincipal.set(principal, own);
    else this.byPrincipal.delete(principal);
    this.taken += amount;
    return true;
  }

  /** Gives back what was taken. */
  give(principal: string, amount: number): void {
    this.take(principal, -amount);
  }
}
