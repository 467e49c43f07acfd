// Finds the member that distinguishes the arms of a union of objects.
import type { SchemaNode } from "../ir/ir.js";
import { naturalCompare } from "../ir/json.js";
import type { Tags } from "../ir/tag.js";

/** A union of objects whose arms a member, the tag, distinguishes. */
export interface Tagged {
  /** Name of the tag. */
  readonly tag: string;
  /** The arm for each value of the tag. */
  readonly arms: ReadonlyMap<string, Part>;
  /** The arm for objects without the tag. */
  readonly absent?: Part;
  /** The arm for objects without the tag, or with any other value of it. */
  readonly otherwise?: Part;
}

/** Arms that no member distinguishes. */
interface Untagged {
  readonly untagged: readonly Part[];
}

/** A part of a schema that a value is compared with: a subschema or the arms of a union. */
export type Part = SchemaNode | Tagged | Untagged;

export function isTagged(part: Part): part is Tagged {
  return "tag" in part;
}

export function isUntagged(part: Part): part is Untagged {
  return "untagged" in part;
}

/** The unions of a schema, with a cache of their tags. */
export class Unions {
  readonly #tags: Tags;
  readonly #known = new WeakMap<readonly SchemaNode[], Part>();

  constructor(tags: Tags) {
    this.#tags = tags;
  }

  /** @param arms of `anyOf` */
  of(arms: readonly SchemaNode[]): Part {
    let union = this.#known.get(arms);
    if (!union) this.#known.set(arms, (union = this.#union(arms, new Set())));
    return union;
  }

  /** @param used tags by which outer unions have already distinguished these arms */
  #union(arms: readonly SchemaNode[], used: ReadonlySet<string>): Part {
    const objects = arms.filter((arm) => this.#tags.isObjectOnly(arm));
    const tagged = objects.length > 1 ? this.#tagged(objects, used) : undefined;
    if (!tagged) return { untagged: arms };
    if (objects.length === arms.length) return tagged;
    return { untagged: [tagged, ...arms.filter((arm) => !objects.includes(arm))] };
  }

  #tagged(arms: readonly SchemaNode[], used: ReadonlySet<string>): Tagged | undefined {
    const tag = this.#tags.findLoose(arms, used);
    if (!tag) return undefined;
    const { property, values, required } = tag;
    const inner = new Set([...used, property]);
    const group = (some: readonly SchemaNode[]): Part =>
      some.length === 1 ? some[0]! : this.#union(some, inner);
    const byValue = new Map<string, SchemaNode[]>();
    for (const [index, arm] of arms.entries())
      for (const value of values[index] as readonly string[]) {
        const same = byValue.get(value);
        if (same) same.push(arm);
        else byValue.set(value, [arm]);
      }
    const isSilent = (index: number): boolean => values[index]!.length === 0;
    const absent = arms.filter((_, index) => !isSilent(index) && !required[index]);
    const otherwise = arms.filter((_, index) => isSilent(index));
    return {
      tag: property,
      arms: new Map(
        [...byValue].sort(([a], [b]) => naturalCompare(a, b)).map(([value, some]) => [value, group(some)]),
      ),
      ...(absent.length > 0 && { absent: group(absent) }),
      ...(otherwise.length > 0 && { otherwise: group(otherwise) }),
    };
  }
}
