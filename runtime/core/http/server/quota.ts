/** An amount that principals share, so that none of them takes all of it. */
export class Quota {
  private readonly most: number;
  private readonly each: number | "fair";
  private taken = 0;
  /** What each principal holds. Nothing is counted where one may hold all. */
  private readonly byPrincipal: Map<string, number> | undefined;

  /**
   * @param most in all
   * @param each for one principal; `fair`: as much as stays free after it, so that the next principal finds room: half
   *   for one alone, half of the rest for the next
   */
  constructor(most: number, each: number | "fair" = most) {
    this.most = most;
    this.each = each;
    this.byPrincipal = each === "fair" || each < most ? new Map() : undefined;
  }

  /** What is taken, in all. */
  get size(): number {
    return this.taken;
  }

  /** Whether more is taken than there is. */
  get isOver(): boolean {
    return this.taken > this.most;
  }

  /** What a principal may take where nothing else is taken. */
  get whole(): number {
    if (this.each === "fair") return Math.max(1, Math.floor(this.most / 2));
    return Math.min(this.each, this.most);
  }

  /** What a principal holds; all that is taken where one may hold all. */
  of(principal: string): number {
    return this.byPrincipal ? (this.byPrincipal.get(principal) ?? 0) : this.taken;
  }

  /** Whether a principal may take so much more. */
  allows(principal: string, amount: number): boolean {
    const left = this.most - this.taken - amount;
    if (left < 0) return false;
    if (!this.byPrincipal) return true;
    // The last one is for any principal that has none.
    return this.of(principal) + amount <= (this.each === "fair" ? Math.max(1, left) : this.each);
  }

  /** Takes so much for a principal; nothing is taken where too little is left. */
  take(principal: string, amount: number): boolean {
    if (amount > 0 && !this.allows(principal, amount)) return false;
    this.add(principal, amount);
    return true;
  }

  /** Counts what is there already, room or none; an amount below 0 gives back. */
  add(principal: string, amount: number): void {
    this.taken += amount;
    if (!this.byPrincipal) return;
    const own = this.of(principal) + amount;
    if (own > 0) this.byPrincipal.set(principal, own);
    else this.byPrincipal.delete(principal);
  }

  /** Gives back what was taken. */
  give(principal: string, amount: number): void {
    this.add(principal, -amount);
  }
}
