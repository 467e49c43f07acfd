import {
  type Definition,
  type Schema,
  type SchemaNode,
  canonicalText,
  recursiveDefinitions,
  referencesOf,
} from "@mcpgen/engine";
import { type Conjunction, isAlone } from "../../../compare/shape/form.js";
import { capitalised, identifiersFor, joinedWords, nameDefinitions } from "../../../print/text.js";
import { DefinitionEmitter } from "../validators/definition.js";
import { type Prefix, FunctionNames } from "../validators/function-names.js";
import type { PreludeName } from "../validators/prelude.js";
import { Shapes } from "../validators/shape.js";
import { commonHint, either } from "./same.js";
import { signatureOfNodes } from "./signature.js";

/** The schema of the predicates, and the module whose validators can be used for its definitions. */
interface PredicateSource {
  readonly schema: Schema;
  /** Definitions that the module validates differently; they get a new validator. */
  readonly changed: ReadonlySet<string>;
  /** The name by which the module is imported. */
  readonly module: string;
  /** Prefix of function names. */
  readonly prefix: string;
  /** The names under which the module exports definitions; default: those of `nameDefinitions`. */
  readonly identifiers?: ReadonlyMap<string, string>;
  /** Another module with validators, and the names under which it exports definitions that `module` lacks. */
  readonly base?: { readonly module: string; readonly identifiers: ReadonlyMap<string, string> };
}

/** Predicates, functions that test whether a value matches a place of a schema. Each is emitted once. */
export class Predicates {
  usesModule = false;
  private readonly source: PredicateSource;
  private names: ReadonlyMap<string, string> | undefined;
  private readonly own = new Map<string, { readonly definition: Definition; readonly identifier: string }>();
  private readonly bySignature = new Map<string, string>();
  /** Hints of all places with an equal schema, by signature. */
  private readonly hints = new Map<string, Set<string>>();
  private readonly taken = new Set<string>();

  constructor(source: PredicateSource) {
    this.source = source;
  }

  private get identifiers(): ReadonlyMap<string, string> {
    return (this.names ??= this.source.identifiers ?? nameDefinitions(this.source.schema));
  }

  /**
   * Announces a later call of `of`, so that a function for several places is named after their common words.
   */
  announce(nodes: Conjunction, hint: string): void {
    const signature = signatureOfNodes(nodes);
    const hints = this.hints.get(signature);
    if (hints) hints.add(hint);
    else this.hints.set(signature, new Set([hint]));
  }

  /** The name of the predicate for `nodes`. */
  of(nodes: Conjunction, hint: string): string {
    const [only] = nodes;
    if (nodes.length === 1 && only?.ref !== undefined && isAlone(only)) return this.ofDefinition(only.ref);
    const signature = signatureOfNodes(nodes);
    const simple = simplePredicates.get(signature);
    if (simple !== undefined) return simple;
    let name = this.bySignature.get(signature);
    if (name === undefined) {
      const node: SchemaNode = nodes.length === 1 ? only! : { pointer: "", allOf: nodes };
      const hints = [...(this.hints.get(signature) ?? [hint])];
      name = this.add(`${hint} `, node, hints.length === 1 ? hints[0]! : commonHint(hints) || either(hints));
      this.bySignature.set(signature, name);
    }
    return name;
  }

  private ofDefinition(name: string): string {
    if (!this.source.changed.has(name)) {
      this.usesModule = true;
      return validatorOf(this.source, this.identifiers, "is", name);
    }
    const known = this.own.get(name);
    return known
      ? `is${known.identifier}`
      : this.add(name, this.source.schema.definitions.get(name)!.node, name);
  }

  private add(key: string, node: SchemaNode, hint: string): string {
    const wanted = capitalised(joinedWords(`${this.source.prefix} ${hint}`));
    let identifier = wanted;
    for (let number = 2; this.taken.has(identifier); number++) identifier = `${wanted}${number}`;
    this.taken.add(identifier);
    const [local] = identifiersFor([identifier]).values();
    let free = key;
    while (this.own.has(free) || (free !== key && this.source.schema.definitions.has(free))) free += " ";
    this.own.set(free, { definition: { name: free, node }, identifier: local! });
    for (const reference of referencesOf(node)) this.ofDefinition(reference);
    return `is${local!}`;
  }

  /** The predicates in use, and the shared checks that they need. */
  print(): { readonly texts: string[]; readonly prelude: ReadonlySet<PreludeName> } {
    if (this.own.size === 0) return { texts: [], prelude: new Set() };
    const own = [...this.own].map(([name, { definition }]) => [name, definition] as const);
    const { patterns } = this.source.schema;
    const schema: Schema = {
      definitions: new Map([...this.source.schema.definitions, ...own]),
      ...(patterns && { patterns }),
    };
    const identifiers = new Map(
      [...this.identifiers].map(([name, identifier]) => [name, capitalised(identifier)] as const),
    );
    for (const [name, { identifier }] of this.own) identifiers.set(name, identifier);
    const names = new ImportedNames(identifiers, patterns, new Set(this.own.keys()), this.source);
    const exact = { shapes: new Shapes(schema, false), prefix: "is" as const };
    const emitter = new DefinitionEmitter(
      { names, differing: new Set() },
      new Map(),
      recursiveDefinitions(schema),
    );
    const texts = own.flatMap(([, definition]) => emitter.emitPrivate(definition, exact));
    return { texts, prelude: emitter.prelude };
  }
}

/** The call expression of a definition's validator in a file that imports its module. */
function validatorOf(
  { module, base }: PredicateSource,
  identifiers: ReadonlyMap<string, string>,
  prefix: Prefix,
  definition: string,
): string {
  const elsewhere = base?.identifiers.get(definition);
  return elsewhere === undefined
    ? `${module}.${prefix}${capitalised(identifiers.get(definition)!)}`
    : `${base!.module}.${prefix}${capitalised(elsewhere)}`;
}

/** Names of validators, most of which another module exports. */
class ImportedNames extends FunctionNames {
  private readonly own: ReadonlySet<string>;
  private readonly source: PredicateSource;
  private readonly all: ReadonlyMap<string, string>;

  constructor(
    identifiers: ReadonlyMap<string, string>,
    patterns: Schema["patterns"],
    own: ReadonlySet<string>,
    source: PredicateSource,
  ) {
    super(identifiers, patterns);
    this.all = identifiers;
    this.own = own;
    this.source = source;
  }

  override local(prefix: Prefix, definition: string): string {
    return this.own.has(definition)
      ? super.local(prefix, definition)
      : validatorOf(this.source, this.all, prefix, definition);
  }
}

/** Predicates from shared modules, by the signature of the schema that they test. */
const simplePredicates = new Map(
  Object.entries({
    isString: { types: ["string"] },
    isStrings: { types: ["array"], items: { types: ["string"] } },
    isObject: { types: ["object"] },
  }).map(([name, node]) => [canonicalText([node]), name]),
);
