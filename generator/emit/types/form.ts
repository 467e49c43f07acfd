import type { Schema, SchemaNode } from "@mcpgen/engine";
import { type Kind, everyKind } from "../validators/shape.js";
import type { InPlace } from "./in-place.js";

/** What is known of a value where its form is made. */
export interface FormContext {
  /** The kinds that the nodes around leave. */
  readonly kinds: ReadonlySet<Kind>;
  /** Nodes that the value satisfies as well; their members give types to names that are only required here. */
  readonly around: readonly SchemaNode[];
  /** Nodes that the value may satisfy, and need not: they name members, and limit nothing. */
  readonly idle: readonly SchemaNode[];
  /** Another part of the type describes the same members: those of conditions have no type then. */
  readonly loose: boolean;
  /**
   * Another part of the type names members of the value: those without a name have no type then. TypeScript would refuse
   * literals of the named ones: their types are read without the signature, and must fit it.
   */
  readonly isNamed: boolean;
}

/** Makes forms of nodes that a value satisfies together. */
export interface FormMaker {
  readonly schema: Schema;
  readonly inPlace: InPlace;
  /** The kinds that a node may accept. */
  readonly kindsOf: (node: SchemaNode) => ReadonlySet<Kind>;
  form(nodes: readonly SchemaNode[], context: FormContext): SchemaNode;
  /** The form of a member that only other nodes describe; any value where those are being made, or are too many. */
  borrowed(nodes: readonly SchemaNode[], loose: boolean): SchemaNode;
}

/** The context of a member or an item: nothing is known of it but what its own nodes say. */
export function innerContext({ loose }: FormContext, idle: readonly SchemaNode[] = []): FormContext {
  return { kinds: everyKind, around: [], idle, loose, isNamed: false };
}

/** What the nodes say for people: the first that says something decides. */
export function annotations(nodes: readonly SchemaNode[]): Partial<SchemaNode> {
  const first = <K extends keyof SchemaNode>(key: K): Partial<SchemaNode> => {
    const found = nodes.find((node) => node[key] !== undefined)?.[key];
    return found === undefined ? {} : { [key]: found };
  };
  return { ...first("title"), ...first("description"), ...first("default"), ...first("deprecated") };
}
