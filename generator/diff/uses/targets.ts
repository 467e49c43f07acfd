import type { Finding } from "../finding.js";

/** The name by which code uses the subject of a finding, in generated code or as a literal. */
export type Target =
  /** A type; of a contract, the namespace of a tool, prompt or resource template. */
  | { readonly kind: "definition"; readonly name: string; readonly wireOnly?: boolean }
  /** A member of a type, `a.b` for one further in. */
  | {
      readonly kind: "member";
      readonly definition: string;
      readonly path: string;
      /** The one value that it is about, as JSON; code that writes another one there does not meet it. */
      readonly value?: string;
    }
  /** A method of the protocol. */
  | { readonly kind: "method"; readonly name: string; readonly wireOnly?: boolean }
  /** The code of an error, as a number. */
  | { readonly kind: "code"; readonly code: string }
  /** The name of an error in the tables of errors. */
  | { readonly kind: "error"; readonly name: string }
  /** The name or URI of an entry of a list of a contract, as a literal. */
  | { readonly kind: "entry"; readonly list: string; readonly name: string };

/** A finding that a target belongs to. */
export interface Claim {
  readonly finding: number;
  /** Only where messages are written out whole: the runtime fills in what it is about. */
  readonly wireOnly: boolean;
  /** The one value of a member that it is about, as JSON. */
  readonly value?: string;
}

/** The targets of all findings, by what they name. */
export class TargetIndex {
  readonly definitions = new Map<string, Claim[]>();
  /** By definition and path: `Tool.name`. */
  readonly members = new Map<string, Claim[]>();
  readonly methods = new Map<string, Claim[]>();
  readonly errors = new Map<string, Claim[]>();
  /** By list and name: `tools/search`. */
  readonly entries = new Map<string, Claim[]>();
  /** By the number as code writes it: `-32042`. */
  readonly codes = new Map<string, Claim[]>();
  /** The words that code can name any of it by. */
  readonly words = new Set<string>();

  /** @param targets by finding */
  constructor(targets: readonly (readonly Target[])[]) {
    for (const [finding, each] of targets.entries()) for (const target of each) this.#add(target, finding);
  }

  #add(target: Target, finding: number): void {
    const [map, key, word] = this.#placeOf(target);
    const wireOnly = "wireOnly" in target && target.wireOnly === true;
    const value = "value" in target ? target.value : undefined;
    const claims = map.get(key) ?? [];
    claims.push({ finding, wireOnly, ...(value !== undefined && { value }) });
    map.set(key, claims);
    this.words.add(word);
  }

  #placeOf(target: Target): [map: Map<string, Claim[]>, key: string, word: string] {
    switch (target.kind) {
      case "definition":
        return [this.definitions, target.name, target.name];
      case "member":
        return [
          this.members,
          memberKey(target.definition, target.path),
          target.path.slice(target.path.lastIndexOf(".") + 1),
        ];
      case "method":
        return [this.methods, target.name, target.name];
      case "code":
        return [this.codes, target.code, target.code];
      case "error":
        return [this.errors, target.name, target.name];
      case "entry":
        return [this.entries, `${target.list}/${target.name}`, target.name];
    }
  }
}

/** The value that a finding about one of several is about, as JSON. */
export function valueOf({ rule, old, new: next }: Pick<Finding, "rule" | "old" | "new">): { value?: string } {
  const value = rule.startsWith("enum-value-") ? (old ?? next) : null;
  return value === null ? {} : { value };
}

export function memberKey(definition: string, path: string): string {
  return `${definition}.${path}`;
}

/** A path of a report without its marks for items and undeclared members, which types have no names for. */
export function plainPath(path: string): string {
  return path.replace(/\[\]|\{\}/g, "").replace(/^\.|\.$/g, "");
}
