import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  jsonObject,
  keywords,
  naturalCompare,
  pointer,
} from "@mcpgen/engine";
import { definitionReference, mapReferences, passedPlaces } from "./references.js";
import { type Resolve, type Shapes, resolverOf, shapesOf } from "./shapes.js";
import { basePrefix, referencedDefinition, withDefinitions } from "../flatten.js";

/** A base of an extension: a revision and its schema. */
export interface BaseSchema {
  readonly revision: string;
  /** Canonical. */
  readonly document: JsonObject;
}

/** A copy of a definition that was replaced by a reference. */
export interface Fold {
  /** Its place in the original schema. */
  readonly at: string;
  /** The copied definition. */
  readonly definition: string;
  readonly of: "own" | "base";
  /**
   * Whether both accept exactly the same values. Other copies are e.g. closed, or have the pattern of a
   * format.
   */
  readonly equal: boolean;
}

/** A definition that repeated a base definition of the same name and was removed. */
export interface Dropped {
  readonly definition: string;
  readonly equal: boolean;
}

export interface Folded {
  readonly document: JsonObject;
  readonly dropped: readonly Dropped[];
  readonly folds: readonly Fold[];
  /** Names of definitions that differ from a base definition of the same name. */
  readonly differing: readonly string[];
  /** Places whose copy could be one of several definitions, and is therefore kept. */
  readonly ambiguous: readonly { readonly at: string; readonly definitions: readonly string[] }[];
}

/**
 * Replaces copies of definitions by references. Definitions that repeat one of the base are removed. Inlined
 * copies of definitions, of the extension or the base, become references.
 *
 * @param document canonical JSON Schema with all definitions at the top; not modified
 * @param bases newest first; only definitions that all bases have count
 */
export function foldCopies(document: JsonObject, bases: readonly BaseSchema[]): Folded {
  return new Folding(document, bases).run();
}

class Folding {
  private readonly own: JsonObject;
  private readonly resolve: Resolve;
  private readonly shared: readonly string[];
  private readonly alike: Shapes;
  private readonly equal: Shapes;
  private readonly dropped: Dropped[] = [];
  private readonly folds: Fold[] = [];
  private readonly differing: string[] = [];
  private readonly ambiguous: { at: string; definitions: string[] }[] = [];
  private readonly passed: ReadonlySet<string>;
  /** The extension's distinctive definitions, by shape. */
  private readonly ownByShape = new Map<number, string[]>();
  private readonly baseByShape = new Map<number, string[]>();
  /** The extension's small definitions, by shape. */
  private readonly smallByShape = new Map<number, string[]>();

  private readonly document: JsonObject;
  private readonly bases: readonly BaseSchema[];

  constructor(document: JsonObject, bases: readonly BaseSchema[]) {
    this.document = document;
    this.bases = bases;
    this.own = document["$defs"] as JsonObject;
    this.passed = passedPlaces(this.own);
    const [newest] = bases;
    this.resolve = resolverOf(document, new Map(newest ? [[basePrefix, newest.document]] : []));
    const roots = [
      ...Object.values(this.own).map((node) => ({ node, resolve: this.resolve })),
      ...bases.flatMap(({ document: base }) =>
        Object.values(definitionsOf(base)).map((node) => ({ node, resolve: resolverOf(base) })),
      ),
    ];
    this.alike = shapesOf(roots, "alike");
    this.equal = shapesOf(roots, "equal");
    const [first, ...others] = bases.map(({ document: base }) => Object.keys(definitionsOf(base)));
    this.shared = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  }

  run(): Folded {
    this.dropRepeated();
    this.findTargets();
    const definitions = Object.entries(this.own)
      .filter(([name]) => !this.isDropped(name))
      .map(([name, node]) => [name, this.inside(node, pointer("/$defs", name), "", true)] as const)
      .sort(([a], [b]) => naturalCompare(a, b));
    return {
      document: withDefinitions(this.document, definitions),
      dropped: this.dropped,
      folds: this.folds,
      differing: this.differing,
      ambiguous: this.ambiguous,
    };
  }

  private dropRepeated(): void {
    for (const [name, node] of Object.entries(this.own)) {
      const namesakes = this.bases.flatMap(({ document }) =>
        Object.hasOwn(definitionsOf(document), name) ? [definitionsOf(document)[name]!] : [],
      );
      const alike = namesakes.filter((base) => this.alike.of(base) === this.alike.of(node));
      if (alike.length > 0 && this.shared.includes(name))
        this.dropped.push({
          definition: name,
          equal: alike.some((base) => this.equal.of(base) === this.equal.of(node)),
        });
      else if (namesakes.length > 0) this.differing.push(name);
    }
  }

  private isDropped(name: string): boolean {
    return this.dropped.some(({ definition }) => definition === name);
  }

  private findTargets(): void {
    const add = (map: Map<number, string[]>, name: string, node: JsonValue, resolve: Resolve): void => {
      const shape = this.alike.of(node);
      // An alias is not a definition to refer to.
      const isAlias = isJsonObject(node) && "$ref" in node;
      if (shape === undefined || isAlias) return;
      const isSmall = !isDistinctive(node, resolve);
      if (isSmall && !(map === this.ownByShape && isNameable(node))) return;
      const target = isSmall ? this.smallByShape : map;
      const names = target.get(shape);
      if (!names) target.set(shape, [name]);
      else if (!names.includes(name)) names.push(name);
    };
    for (const [name, node] of Object.entries(this.own))
      if (!this.isDropped(name)) add(this.ownByShape, name, node, this.resolve);
    for (const { document } of this.bases)
      for (const name of this.shared)
        add(this.baseByShape, name, definitionsOf(document)[name]!, resolverOf(document));
  }

  /** @param hint name of the member that has the value, to choose among definitions */
  private inside(node: JsonValue, at: string, hint: string, isRoot: boolean): JsonValue {
    if (!isJsonObject(node)) return node;
    const fold = isRoot || "$ref" in node || this.passed.has(at) ? undefined : this.foldOf(node, at, hint);
    if (fold) {
      this.folds.push(fold);
      return jsonObject([
        ...Object.entries(node).filter(([keyword]) => isRemark(keyword)),
        ["$ref", definitionReference(fold.definition, fold.of)],
      ]);
    }
    return mapReferences(
      node,
      (reference) => this.reference(reference),
      (child, place) => this.inside(child, at + place, hintOf(place) ?? hint, false),
    );
  }

  private reference(reference: string): string {
    const name = referencedDefinition(reference);
    return name !== undefined && this.isDropped(name) ? `${basePrefix}${reference}` : reference;
  }

  private foldOf(node: JsonObject, at: string, hint: string): Fold | undefined {
    const shape = this.alike.of(node);
    if (shape === undefined) return undefined;
    for (const [of, map] of [
      ["own", this.ownByShape],
      ["base", this.baseByShape],
    ] as const) {
      const names = map.get(shape);
      if (!names) continue;
      const definition = choose(names, hint);
      if (definition !== undefined) return { at, definition, of, equal: this.isEqual(node, definition, of) };
      this.ambiguous.push({ at, definitions: names });
      return undefined;
    }
    const called = (this.smallByShape.get(shape) ?? []).filter((name) => endsIn(name, hint));
    const [definition] = called;
    if (definition === undefined || called.length > 1) return undefined;
    return { at, definition, of: "own", equal: this.isEqual(node, definition, "own") };
  }

  private isEqual(node: JsonObject, definition: string, of: "own" | "base"): boolean {
    const documents = of === "own" ? [this.document] : this.bases.map(({ document }) => document);
    return documents.some(
      (document) => this.equal.of(definitionsOf(document)[definition] ?? false) === this.equal.of(node),
    );
  }
}

function definitionsOf(document: JsonObject): JsonObject {
  return document["$defs"] as JsonObject;
}

/** Whether a keyword is an annotation of the place, which is kept beside the reference. */
function isRemark(keyword: string): boolean {
  const found = keywords.get(keyword);
  return found?.annotation === true && found.shape === "value" && !/^(?:\$|format$|content)/.test(keyword);
}

/** The only candidate, or the one named like the member. */
function choose(names: readonly string[], hint: string): string | undefined {
  if (names.length === 1) return names[0];
  const called = names.filter((name) => endsIn(name, hint));
  return called.length === 1 ? called[0] : undefined;
}

/** Whether a definition's name ends with a member's name: `HostCss` and `css`. */
function endsIn(name: string, member: string): boolean {
  return member !== "" && name.toLowerCase().endsWith(member.toLowerCase());
}

/** The member name at the end of a pointer; undefined for other places. */
function hintOf(place: string): string | undefined {
  return /^\/properties\/(.+)$/.exec(place)?.[1];
}

/**
 * Whether an equal schema is surely a copy rather than a coincidence: two or more values, an object with two
 * members of which one is required, an object with three members, or a union or map of these.
 */
function isDistinctive(node: JsonValue, resolve: Resolve, depth = 0): boolean {
  if (!isJsonObject(node) || depth > maximumDepth) return false;
  const { $ref, enum: values, allOf, properties, required } = node;
  if (typeof $ref === "string") {
    const target = resolve($ref);
    return target !== undefined && isDistinctive(target.node, target.resolve, depth + 1);
  }
  const inside = (arm: JsonValue | undefined): boolean =>
    arm !== undefined && isDistinctive(arm, resolve, depth + 1);
  if (Array.isArray(values)) return values.length > 1;
  if (isJsonObject(properties)) {
    const members = Object.keys(properties).length;
    return members > 2 || (members === 2 && Array.isArray(required) && required.length > 0);
  }
  if (Array.isArray(allOf)) return allOf.some(inside);
  if (inside(node["propertyNames"]) || inside(node["additionalProperties"])) return true;
  const arms = node["anyOf"] ?? node["oneOf"];
  if (!Array.isArray(arms) || arms.length < 2) return false;
  return arms.every((arm) => inside(arm) || isConstant(arm)) || arms.filter(inside).length > 1;
}

/**
 * Whether an equal schema counts as a copy if the member has the definition's name: any object with members.
 */
function isNameable(node: JsonValue): boolean {
  return isJsonObject(node) && isJsonObject(node["properties"]) && Object.keys(node["properties"]).length > 0;
}

const maximumDepth = 8;

function isConstant(arm: JsonValue): boolean {
  return isJsonObject(arm) && "const" in arm;
}
