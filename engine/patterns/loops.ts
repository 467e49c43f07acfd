import type { Positions } from "./positions.js";
import type { Work } from "./work.js";

/** The loops of an automaton: the positions in loops, and reachability between positions. */
export class Loops {
  /** For each position, the number of its strongly connected component. */
  private readonly component: Int32Array;
  /** For each component, the components that it reaches, as bits; includes itself. */
  private readonly reach: Uint32Array[] = [];
  private readonly words: number;
  private readonly looping: boolean[] = [];
  readonly members: number[][] = [];

  constructor({ follow }: Positions, work: Work) {
    this.component = new Int32Array(follow.length).fill(-1);
    this.words = Math.ceil(follow.length / 32);
    this.find(follow, work);
  }

  /** Whether a position leads back to itself. */
  isLoop(position: number): boolean {
    return this.looping[this.component[position]!]!;
  }

  /** Whether two positions are in the same loop. */
  share(a: number, b: number): boolean {
    return this.component[a] === this.component[b] && this.isLoop(a);
  }

  /** Whether one position reaches another one. */
  leads(from: number, to: number): boolean {
    if (this.component[from] === this.component[to]) return this.isLoop(from);
    return this.has(this.component[from]!, this.component[to]!);
  }

  private has(from: number, to: number): boolean {
    return ((this.reach[from]![to >>> 5]! >>> (to & 31)) & 1) === 1;
  }

  /** Finds the components by Tarjan's algorithm. A component comes after the components that it leads to. */
  private find(follow: Positions["follow"], work: Work): void {
    const order = new Int32Array(follow.length).fill(-1);
    const low = new Int32Array(follow.length);
    const path: number[] = [];
    let next = 0;
    const visit = (start: number): void => {
      const pending = [{ position: start, rest: follow[start]!.keys() }];
      const enter = (position: number): void => {
        order[position] = low[position] = next++;
        path.push(position);
      };
      enter(start);
      while (pending.length > 0) {
        const { position, rest } = pending.at(-1)!;
        const { value: to, done } = rest.next();
        work.step();
        if (done) {
          pending.pop();
          if (low[position] === order[position]) this.close(position, path, follow, work);
          const before = pending.at(-1)?.position;
          if (before !== undefined) low[before] = Math.min(low[before]!, low[position]!);
        } else if (order[to]! < 0) {
          enter(to);
          pending.push({ position: to, rest: follow[to]!.keys() });
        } else if (this.component[to]! < 0) low[position] = Math.min(low[position]!, order[to]!);
      }
    };
    for (let start = 0; start < follow.length; start++) if (order[start]! < 0) visit(start);
  }

  /** Closes a component: the positions on the path from its first position on. */
  private close(first: number, path: number[], follow: Positions["follow"], work: Work): void {
    const number = this.members.length;
    const members = path.splice(path.indexOf(first));
    const bits = new Uint32Array(this.words);
    bits[number >>> 5]! |= 1 << (number & 31);
    for (const member of members) this.component[member] = number;
    let looping = members.length > 1;
    for (const member of members)
      for (const to of follow[member]!.keys()) {
        const target = this.component[to]!;
        work.step();
        if (target === number) looping = true;
        else if (((bits[target >>> 5]! >>> (target & 31)) & 1) === 0) {
          work.step(this.words);
          const more = this.reach[target]!;
          for (let word = 0; word < this.words; word++) bits[word]! |= more[word]!;
        }
      }
    this.members.push(members);
    this.looping.push(looping);
    this.reach.push(bits);
  }
}
