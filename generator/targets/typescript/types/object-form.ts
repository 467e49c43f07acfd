import { type SchemaNode, naturalCompare } from "@mcpgen/engine";
import { common } from "../validators/shape.js";
import { type FormContext, type FormMaker, annotations, innerContext } from "./form.js";

const anything: SchemaNode = { pointer: "" };

/** The nodes that describe an object. */
export interface DescribedObject {
  /** Nodes that the object satisfies. */
  readonly parts: readonly SchemaNode[];
  /** Definitions that it satisfies as well; they are printed by name. */
  readonly definitions: readonly SchemaNode[];
  /** Nodes that it may or may not satisfy. */
  readonly idle: readonly SchemaNode[];
  /** Whether other parts of the type describe it, too. */
  readonly isBeside: boolean;
}

/** The object that the nodes describe together; undefined if its members are unrestricted. */
export function objectForm(
  forms: FormMaker,
  described: DescribedObject,
  context: FormContext,
): SchemaNode | undefined {
  const members = new Members(forms, described, context);
  const required = [...members.required];
  const properties = new Map(
    [...members.properties()].map(([name, form]) => [
      name,
      members.required.has(name) ? form : orInherited(name, form),
    ]),
  );
  const others = members.others();
  if (properties.size === 0 && others === undefined) return undefined;
  const isOpen = others === undefined && !members.areDescribed && !described.isBeside;
  const additionalProperties = others ?? (isOpen ? { pointer: "", always: true as const } : undefined);
  return {
    ...{ pointer: "", types: ["object"] },
    ...(properties.size > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(additionalProperties && { additionalProperties }),
  };
}

/** Members that TypeScript knows for every object. */
const inherited = new Set(
  Object.getOwnPropertyNames(Object.prototype).filter((name) => !name.startsWith("__")),
);

/**
 * The type of an optional member. If every object inherits a member of that name, includes the inherited
 * type.
 */
function orInherited(name: string, form: SchemaNode): SchemaNode {
  if (!inherited.has(name) || isAnything(form)) return form;
  const typeText = `globalThis.Object[${JSON.stringify(name)}]`;
  return { ...annotations([form]), pointer: form.pointer, anyOf: [form, { pointer: "", typeText }] };
}

/** The members of an object that several nodes describe together. */
class Members {
  readonly required: ReadonlySet<string>;
  /** Whether any member is described, not merely required. */
  readonly areDescribed: boolean;
  private readonly forms: FormMaker;
  private readonly parts: readonly SchemaNode[];
  private readonly context: FormContext;
  /** Nodes of other parts of the type that the object satisfies. */
  private readonly elsewhere: readonly SchemaNode[];
  private readonly declared: ReadonlySet<string>;
  private readonly isBeside: boolean;
  private readonly branches: readonly Branch[];
  private readonly conditional: ReadonlyMap<string, SchemaNode>;

  constructor(forms: FormMaker, described: DescribedObject, context: FormContext) {
    const { parts, definitions, idle, isBeside } = described;
    this.forms = forms;
    this.isBeside = isBeside;
    this.parts = parts;
    this.context = context;
    this.elsewhere = forms.inPlace.certain([...context.around, ...definitions]);
    this.declared = new Set(parts.flatMap(namesOf));
    this.required = new Set(parts.flatMap(requiredOf));
    const own = [...parts.flatMap(branchesOf), ...idle.map((node) => ({ node }))];
    // If nothing else describes the object, members that it may have do not restrict it.
    const isSaid = this.declared.size > 0 || own.length > 0 || isBeside;
    this.branches = isSaid ? [...own, ...context.idle.map((node) => ({ node }))] : [];
    const unions = parts.flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
    const besides = [...unions.filter((arm) => !idle.includes(arm)), ...definitions, ...context.around];
    this.conditional = this.conditionalMembers(besides);
    this.areDescribed = this.declared.size > 0 || this.conditional.size > 0;
  }

  properties(): ReadonlyMap<string, SchemaNode> {
    const properties = new Map<string, SchemaNode>();
    for (const name of this.declared) properties.set(name, this.member(name));
    for (const [name, form] of this.conditional) properties.set(name, form);
    for (const name of this.required) if (!properties.has(name)) properties.set(name, this.member(name));
    return properties;
  }

  /** The schema of unnamed members: `never`, `always`, or a type; undefined if no keyword concerns them. */
  others(): SchemaNode | undefined {
    const limits = this.parts.map(othersOf).filter((limit) => limit !== undefined);
    if (limits.length === 0) {
      const rest = this.parts.flatMap(({ unevaluatedProperties }) => unevaluatedProperties ?? []);
      const branches = this.branches.map(({ node }) => node);
      const isOpen = rest.some(({ never }) => !never) || this.forms.inPlace.describesOthers(branches);
      return isOpen ? { pointer: "", always: true } : undefined;
    }
    if (limits.some((limit) => limit.every(({ never }) => never))) return { pointer: "", never: true };
    // An index signature would have to cover the named members, too.
    if (this.areDescribed || this.isBeside) return { pointer: "", always: true };
    const nodes = limits.map((anyOf) => (anyOf.length === 1 ? anyOf[0]! : { pointer: "", anyOf }));
    const form = this.forms.form(nodes, innerContext(this.context));
    return isAnything(form) ? { pointer: "", always: true } : form;
  }

  /** The form of a member that the nodes describe or require. */
  private member(name: string): SchemaNode {
    const nodes = this.viewsOf(this.parts, name);
    const possible = this.forms.inPlace.possible(this.branches.map(({ node }) => node));
    const known = this.viewsOf(this.elsewhere, name);
    const hidden = this.forms.inPlace.hiddenMember(this.context.beside, name);
    const inner = innerContext(this.context, [...this.viewsOf(possible, name), ...hidden]);
    // The other parts reject a value of another kind, but TypeScript does not see that for arrays and
    // objects, so the kinds are limited here.
    const context = { ...inner, kinds: known.map(this.forms.kindsOf).reduce(common, inner.kinds) };
    const isOnlyRequired = this.required.has(name) && !this.declared.has(name);
    const borrowed = isOnlyRequired ? known : [];
    if (borrowed.length === 0) return this.forms.form(nodes, context);
    return this.forms.borrowed([...nodes, ...borrowed], this.context.loose);
  }

  /**
   * The members that only conditional branches describe, with a type that covers every branch.
   *
   * @param besides nodes of other parts of the type
   */
  private conditionalMembers(besides: readonly SchemaNode[]): Map<string, SchemaNode> {
    const { inPlace } = this.forms;
    const found = new Map<string, SchemaNode>();
    const elsewhere = new Set(this.elsewhere.flatMap(namesOf));
    const isNew = (name: string): boolean => !this.declared.has(name) && !elsewhere.has(name);
    const certain = [...this.parts, ...this.elsewhere];
    const perhaps = this.branches.length > 0 ? inPlace.names(besides) : new Set();
    const isOpen =
      this.branches.length > 0 &&
      (inPlace.describesOthers(besides) ||
        certain.some(({ unevaluatedProperties: rest }) => rest !== undefined && !rest.never));
    for (const name of inPlace.names(this.branches.map(({ node }) => node))) {
      if (!isNew(name)) continue;
      const isLoose =
        isOpen || perhaps.has(name) || this.context.loose || this.viewsOf(certain, name).length > 0;
      const nodes = isLoose ? undefined : this.alternatives(name);
      found.set(name, this.conditionalMember(name, nodes));
    }
    for (const name of this.parts.flatMap(namesInDependencies))
      if (isNew(name) && !found.has(name) && this.declared.size > 0)
        found.set(name, this.conditionalMember(name, undefined));
    return new Map([...found].sort(([a], [b]) => naturalCompare(a, b)));
  }

  /** The schemas of a member in each branch; undefined if a branch leaves it unclear. */
  private alternatives(name: string): readonly SchemaNode[] | undefined {
    const { inPlace } = this.forms;
    const found: SchemaNode[] = [];
    for (const { node, decidesOn } of this.branches) {
      const certain = inPlace.certain([node]);
      const nodes = this.viewsOf(certain, name);
      const isTold = !decidesOn || inPlace.certain([decidesOn]).flatMap(namesOf).includes(name);
      const perhaps = [...inPlace.possible([node])].filter((each) => !certain.includes(each));
      if (perhaps.some((each) => this.viewsOf([each], name).length > 0)) return undefined;
      if (nodes.length > 0 && isTold)
        found.push(nodes.length === 1 ? nodes[0]! : { pointer: "", allOf: nodes });
      else if (nodes.length > 0 || inPlace.names([node]).has(name)) return undefined;
    }
    return found;
  }

  private conditionalMember(name: string, alternatives: readonly SchemaNode[] | undefined): SchemaNode {
    if (!alternatives) return this.member(name);
    const any = alternatives.length === 1 ? alternatives[0]! : { pointer: "", anyOf: alternatives };
    return this.forms.borrowed([any], false);
  }

  private viewsOf(nodes: Iterable<SchemaNode>, name: string): SchemaNode[] {
    return [...nodes].flatMap((node) => this.forms.inPlace.member(node, name));
  }
}

function namesOf({ properties }: SchemaNode): string[] {
  return [...(properties?.keys() ?? [])];
}

function namesInDependencies({ dependentRequired }: SchemaNode): string[] {
  return [...(dependentRequired?.values() ?? [])].flat();
}

/** A node that applies to some values only. */
interface Branch {
  readonly node: SchemaNode;
  /** The node that applies whenever this one holds (`then` for `if`), so that both may describe a member. */
  readonly decidesOn?: SchemaNode;
}

export function branchesOf(node: SchemaNode): Branch[] {
  const { if: test, then = anything, else: otherwise = anything, dependentSchemas } = node;
  const branches = [...(dependentSchemas?.values() ?? []), ...(test ? [then, otherwise] : [])];
  return [
    ...branches.map((branch) => ({ node: branch })),
    ...(test ? [{ node: test, decidesOn: then }] : []),
  ];
}

/** The names that every valid object must have, including those required by both branches of a condition. */
function requiredOf({ required = [], then, else: otherwise, if: test }: SchemaNode): readonly string[] {
  const both =
    test && then && otherwise
      ? (then.required ?? []).filter((name) => otherwise.required?.includes(name))
      : [];
  return [...required, ...both];
}

/** The alternatives for unnamed members; undefined if no keyword concerns them. */
function othersOf({
  patternProperties,
  additionalProperties,
}: SchemaNode): readonly SchemaNode[] | undefined {
  if (!patternProperties && !additionalProperties) return undefined;
  const patterns = [...(patternProperties?.values() ?? [])].filter(({ never }) => !never);
  return additionalProperties?.never && patterns.length > 0
    ? patterns
    : [...patterns, additionalProperties ?? anything];
}

/** Whether a node accepts every value. */
export function isAnything({
  pointer: _pointer,
  always: _always,
  title: _title,
  description: _description,
  default: _default,
  deprecated: _deprecated,
  ...rest
}: SchemaNode): boolean {
  return Object.keys(rest).length === 0;
}
