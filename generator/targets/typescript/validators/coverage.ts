import type { SchemaNode } from "@mcpgen/engine";
import type { Shapes } from "./shape.js";

/** The kinds of value whose unevaluated parts `unevaluatedProperties` or `unevaluatedItems` constrain. */
export type Container = "object" | "array";

/** The members or items that keywords evaluate (2020-12 core, section 11). */
export interface Coverage {
  /** Whether all parts are evaluated. */
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
  /** Number of evaluated items from the start. */
  readonly prefix: number;
}

const nothing: Coverage = { all: false, names: new Set(), patterns: new Set(), prefix: 0 };

/** The schema of the unevaluated parts of such a value. */
export function restOf(node: SchemaNode, container: Container): SchemaNode | undefined {
  return container === "object" ? node.unevaluatedProperties : node.unevaluatedItems;
}

/** Computes which parts schemas evaluate, for one variant of validation. */
export class Coverages {
  private readonly shapes: Shapes;
  private readonly container: Container;
  private readonly most = new Map<SchemaNode, Coverage>();

  constructor(shapes: Shapes, container: Container) {
    this.shapes = shapes;
    this.container = container;
  }

  /**
   * The parts that `node` evaluates in every value that it accepts: through its keywords, `$ref` and `allOf`.
   * A keyword for unevaluated parts evaluates these, too, but not for its own node.
   */
  settled(node: SchemaNode, itself = false): Coverage {
    return union(
      this.shapes.conjuncts(node).map((part) => {
        const takesRest = restOf(part, this.container) !== undefined && !(itself && part === node);
        return takesRest || this.takesUnknown(part) ? everything : this.own(part);
      }),
    );
  }

  /** The most parts that `node` can evaluate in any value. */
  widest(node: SchemaNode): Coverage {
    const known = this.most.get(node);
    if (known) return known;
    const parts = this.shapes.conjuncts(node);
    const widest = union([
      this.settled(node),
      ...parts.flatMap((part) => this.conditionals(part)).map((child) => this.widest(child)),
      ...(parts.some((part) => this.marksItems(part)) ? [everything] : []),
    ]);
    this.most.set(node, widest);
    return widest;
  }

  /** Whether `node` evaluates parts beyond `known` in some values. */
  adds(node: SchemaNode, known: Coverage): boolean {
    return !includes(known, this.widest(node));
  }

  /** Whether the parts that `node` evaluates beyond `known` depend on the value. */
  varies(node: SchemaNode, known: Coverage): boolean {
    const always = union([known, this.settled(node)]);
    return (
      !always.all &&
      this.shapes
        .conjuncts(node)
        .some(
          (part) =>
            this.marksItems(part) || this.conditionals(part).some((child) => this.adds(child, always)),
        )
    );
  }

  /** Whether the node has a `contains`, which evaluates the items that match. */
  marksItems(node: SchemaNode): boolean {
    return this.container === "array" && node.contains !== undefined;
  }

  /** Subschemas that evaluate parts only if they accept the value. */
  private conditionals(node: SchemaNode): SchemaNode[] {
    if (this.shapes.isOpen(node)) return [];
    return [
      ...(node.anyOf ?? []),
      ...(node.oneOf ?? []),
      ...(node.if ? [node.if, node.then, node.else].filter((child) => child !== undefined) : []),
      ...(this.container === "object" ? (node.dependentSchemas?.values() ?? []) : []),
    ];
  }

  /** Whether `node` is a union with unknown arms, so that it is unknown which parts they describe. */
  private takesUnknown(node: SchemaNode): boolean {
    return this.shapes.isOpen(node) && (node.anyOf ?? node.oneOf) !== undefined;
  }

  private own(node: SchemaNode): Coverage {
    if (this.container === "array") {
      return { ...nothing, all: node.items !== undefined, prefix: node.prefixItems?.length ?? 0 };
    }
    return {
      ...nothing,
      all: node.additionalProperties !== undefined,
      names: new Set(node.properties?.keys()),
      patterns: new Set(node.patternProperties?.keys()),
    };
  }
}

const everything: Coverage = { ...nothing, all: true };

function union(parts: readonly Coverage[]): Coverage {
  return {
    all: parts.some(({ all }) => all),
    names: new Set(parts.flatMap(({ names }) => [...names])),
    patterns: new Set(parts.flatMap(({ patterns }) => [...patterns])),
    prefix: parts.reduce((longest, { prefix }) => Math.max(longest, prefix), 0),
  };
}

/** The parts of `part` that are not in `known`. */
export function beyond(part: Coverage, known: Coverage): Coverage {
  return {
    all: part.all && !known.all,
    names: new Set([...part.names].filter((name) => !known.names.has(name))),
    patterns: new Set([...part.patterns].filter((pattern) => !known.patterns.has(pattern))),
    prefix: part.prefix > known.prefix ? part.prefix : 0,
  };
}

function includes(known: Coverage, part: Coverage): boolean {
  return known.all || isNothing(beyond(part, known));
}

export function isNothing({ all, names, patterns, prefix }: Coverage): boolean {
  return !all && names.size === 0 && patterns.size === 0 && prefix === 0;
}
