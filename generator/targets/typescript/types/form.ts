import type { Schema, SchemaNode } from "@mcpgen/engine";
import { type Kind, everyKind } from "../validators/shape.js";
import type { InPlace } from "./in-place.js";

/** The context in which a form is made: what is known about the value. */
export interface FormContext {
  /** The kinds of value that the enclosing nodes allow. */
  readonly kinds: ReadonlySet<Kind>;
  /** Other nodes that the value satisfies. They give types to members that are only required here. */
  readonly around: readonly SchemaNode[];
  /** Nodes that the value may or may not satisfy. They name members but constrain nothing. */
  readonly idle: readonly SchemaNode[];
  /** Nodes of other parts of the type. They may describe further members of the members, and of the items. */
  readonly beside: readonly SchemaNode[];
  /** Whether another part of the type describes the same members. Conditional members are then untyped. */
  readonly loose: boolean;
  /**
   * Whether another part of the type names members of the value. Unnamed members are then untyped: an index
   * signature would make TypeScript reject object literals with the named ones.
   */
  readonly isNamed: boolean;
}

/** Makes the form of a value that satisfies several nodes. */
export interface FormMaker {
  readonly schema: Schema;
  readonly inPlace: InPlace;
  /** The kinds that a node may accept. */
  readonly kindsOf: (node: SchemaNode) => ReadonlySet<Kind>;
  form(nodes: readonly SchemaNode[], context: FormContext): SchemaNode;
  /**
   * The form of a member that only other nodes describe. Unrestricted if such a form is already being made (a
   * cycle), or if the limit is reached.
   */
  borrowed(nodes: readonly SchemaNode[], loose: boolean): SchemaNode;
}

/** The context of a member or an item, about which only its own nodes say anything. */
export function innerContext({ loose }: FormContext, idle: readonly SchemaNode[] = []): FormContext {
  return { kinds: everyKind, around: [], idle, beside: [], loose, isNamed: false };
}

/** Title, description, default and deprecation, each from the first node that has it. */
export function annotations(nodes: readonly SchemaNode[]): Partial<SchemaNode> {
  const first = <K extends keyof SchemaNode>(key: K): Partial<SchemaNode> => {
    const found = nodes.find((node) => node[key] !== undefined)?.[key];
    return found === undefined ? {} : { [key]: found };
  };
  return { ...first("title"), ...first("description"), ...first("default"), ...first("deprecated") };
}
