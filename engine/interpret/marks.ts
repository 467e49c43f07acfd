/** The evaluated members or items of one object or array (2020-12 core, section 11). */
export class Marks {
  /** Whether all members or items are evaluated. */
  all = false;
  /** Items before this index are evaluated. */
  private upTo = 0;
  /** Evaluated keys, or indices of evaluated items. */
  private places: Set<string | number> | undefined;

  add(place: string | number): void {
    (this.places ??= new Set()).add(place);
  }

  addUpTo(index: number): void {
    if (index > this.upTo) this.upTo = index;
  }

  merge(other: Marks): void {
    if (other.all) this.all = true;
    this.addUpTo(other.upTo);
    if (other.places) for (const place of other.places) this.add(place);
  }

  has(place: string | number): boolean {
    return this.all || (typeof place === "number" && place < this.upTo) || (this.places?.has(place) ?? false);
  }
}
