import type { Schema, SchemaNode } from "@mcpgen/engine";
import type { Conjunction } from "../../../compare/shape/form.js";
import { type Owner, ownedOf } from "./owned-members.js";
import { isIdle } from "./signature.js";

/** Decides whether two schemas describe a place identically, including the definitions that they refer to. */
export class Likeness {
  private readonly schemas: readonly [Schema, Schema];
  private readonly owners: readonly [Owner, Owner];
  /** Results for pairs of definitions of the same name; assumed to be true while the comparison runs. */
  private readonly known = new Map<string, boolean>();

  /** Names of definitions that count as different in any case. */
  private readonly apart: ReadonlySet<string>;

  /**
   * @param owners models whose owned members, which the schemas omit, are compared as well
   * @param apart names of definitions that are converted even if their schemas are identical
   */
  constructor(
    schemas: readonly [Schema, Schema],
    owners: readonly [Owner, Owner],
    apart: ReadonlySet<string> = new Set(),
  ) {
    this.apart = apart;
    this.schemas = schemas;
    this.owners = owners;
  }

  of(a: Conjunction, b: Conjunction): boolean {
    return this.equal(a, b);
  }

  private equal(a: unknown, b: unknown): boolean {
    if (a === b) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (a instanceof Map) return b instanceof Map && this.equalMaps(a, b);
    if (Array.isArray(a))
      return (
        Array.isArray(b) && a.length === b.length && a.every((item, index) => this.equal(item, b[index]))
      );
    return this.equalNodes(a, b);
  }

  private equalMaps(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && this.equal(value, b.get(key)));
  }

  private equalNodes(a: object, b: object): boolean {
    const entries = constraints(a);
    const others = new Map(constraints(b));
    if (entries.length !== others.size) return false;
    return entries.every(([key, value]) => {
      const other = others.get(key);
      if (key !== "ref" || typeof value !== "string") return this.equal(value, other);
      return value === other && this.equalDefinitions(value);
    });
  }

  private equalDefinitions(name: string): boolean {
    if (this.apart.has(name)) return false;
    let verdict = this.known.get(name);
    if (verdict === undefined) {
      this.known.set(name, true);
      const [a, b] = this.schemas.map(({ definitions }) => definitions.get(name)?.node);
      const [own, other] = this.owners.map((owner) => ownedOf(owner, name));
      this.known.set(name, (verdict = this.equal(a, b) && this.equal(own, other)));
      // Results assumed meanwhile may be wrong, so they are dropped.
      if (!verdict) for (const [other, said] of this.known) if (said) this.known.delete(other);
    }
    return verdict;
  }
}

function constraints(node: object): [string, unknown][] {
  return (Object.entries(node) as [string, SchemaNode][]).filter(([key, value]) => !isIdle(key, value));
}
