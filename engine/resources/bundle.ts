import { canonicalDialect, kindOf, refuseDepth } from "./canonicalise.js";
import { referenceTo } from "../ir/fragment.js";
import { type JsonObject, type JsonValue, isJsonObject, jsonObject, pointer } from "../ir/json.js";
import { type Dialect, keywords } from "../ir/keywords.js";
import { hasReferencesAlone, inCurrentVocabulary } from "../ir/vocabulary.js";
import { definitionName } from "./definition-name.js";
import { type DynamicScope, DynamicScopes } from "./dynamic-scope.js";
import { type Place, Registry, dynamicReferences, throwSchemaError } from "./registry.js";
import { targetOf } from "./target.js";

export interface BundleOptions {
  /**
   * Documents that references may lead to, by their URI, including meta-schemas that `$schema` names. Nothing is ever
   * fetched.
   */
  readonly documents?: ReadonlyMap<string, JsonValue>;
  /**
   * The dialect of documents that do not declare one. Default: draft-07 if a document has `definitions`, otherwise
   * 2020-12.
   */
  readonly dialect?: Dialect;
}

export interface Bundle {
  /**
   * A JSON Schema 2020-12 document. Its only references are `#` and `#/$defs/…`; it has no `$id`, anchors or unknown
   * keywords.
   */
  readonly document: JsonObject;
  /** For the place of each schema in `document`, its original place. */
  readonly origins: ReadonlyMap<string, Place>;
  /** Whether the meta-schema of the document demands that formats are asserted. */
  readonly assertsFormats: boolean;
}

/**
 * Bundles a schema and all targets of its references into one document. Resolves anchors, `$id`s, references to other
 * documents and dynamic references, so that later steps only see references to definitions. The target of a dynamic
 * reference depends on the path through the schema. A schema that depends on the path becomes one definition for each
 * set of paths with the same targets; there are finitely many of these.
 *
 * @throws SchemaError for a reference that leads nowhere or to a document that was not given, an unknown dialect or
 *   vocabulary, or a value that is not a schema
 */
export function bundle(document: JsonValue, options: BundleOptions = {}): Bundle {
  const registry = new Registry(document, options.documents ?? new Map(), options.dialect);
  const assertsFormats = registry.main.rules.assertsFormats ?? false;
  return { ...new Bundler(registry).run(document), assertsFormats };
}

/** Keywords that bundling removes: resolved references and identities, and containers of definitions. */
const settled = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveAnchor",
  "$recursiveRef",
  "$vocabulary",
  "$defs",
]);

/**
 * In 2019-09, items that match `contains` stay unevaluated for `unevaluatedItems`. These keywords are therefore moved
 * below a double `not`, where evaluation does not count in 2020-12 either.
 */
const containing = new Set(["contains", "maxContains", "minContains"]);

/**
 * Maximum number of definitions that exist only because paths to a schema differ. Without a limit, paths could
 * multiply.
 */
const mostCopies = 10_000;

function refuseCopies(place: Place): never {
  return throwSchemaError(
    "too-deep",
    place,
    place.at,
    `expected dynamic references that lead to at most ${mostCopies} different readings of schemas`,
  );
}

/** The place of a schema in the bundle, and the dynamic scope of the path to it. */
interface Context {
  readonly scope: DynamicScope;
  /** Place in the bundle. */
  readonly at: string;
  readonly depth: number;
}

class Bundler {
  private readonly registry: Registry;
  private readonly scopes: DynamicScopes;
  private readonly definitions = jsonObject();
  private readonly origins = new Map<string, Place>();
  /** References to schemas that are in the bundle, by schema and the relevant part of the scope. */
  private readonly references = new Map<JsonObject | boolean, Map<string, string>>();
  private readonly names = new Set<string>();
  private copies = 0;
  private restTaken: boolean | undefined;
  private readonly pending: (() => void)[] = [];

  constructor(registry: Registry) {
    this.registry = registry;
    this.scopes = new DynamicScopes(registry);
  }

  run(root: JsonValue): Omit<Bundle, "assertsFormats"> {
    const target = jsonObject([["$schema", canonicalDialect]]);
    const place: Place = { resource: this.registry.main, at: "" };
    if (typeof root === "boolean") {
      if (!root) target["not"] = true;
      return { document: target, origins: new Map([["", place]]) };
    }
    if (!isJsonObject(root)) {
      return throwSchemaError(
        "not-a-schema",
        place,
        "",
        `expected a schema (an object or a boolean), got ${kindOf(root)}`,
      );
    }
    const scope = this.scopes.entered(root, new Map());
    this.remember(root, scope, "#");
    const named = this.namedDefinitions(root);
    for (const [name] of named) this.names.add(name);
    for (const [name, schema] of named) this.define(schema, name, scope);
    Object.assign(target, this.written(root, { scope, at: "", depth: 0 }));
    while (this.pending.length > 0) this.pending.pop()!();
    if (Object.keys(this.definitions).length > 0) target["$defs"] = this.definitions;
    return { document: target, origins: this.origins };
  }

  /** The definitions of the document itself. The bundle contains them even if they are not referenced. */
  private namedDefinitions(root: JsonObject): [string, JsonObject | boolean][] {
    const found = new Map<string, JsonObject | boolean>();
    const place = this.registry.places.get(root)!;
    for (const keyword of ["$defs", "definitions"]) {
      const definitions = root[keyword];
      if (definitions === undefined) continue;
      if (!isJsonObject(definitions)) {
        const expected = `expected an object of schemas, got ${kindOf(definitions)}`;
        return throwSchemaError("malformed-keyword", place, `/${keyword}`, expected);
      }
      for (const [name, schema] of Object.entries(definitions)) {
        if (typeof schema === "boolean" || isJsonObject(schema)) {
          found.set(found.has(name) ? `${keyword}/${name}` : name, schema);
        } else this.refuseValue(schema, place, pointer("", keyword, name));
      }
    }
    return [...found];
  }

  private refuseValue(value: JsonValue, place: Place, at: string): never {
    return throwSchemaError(
      "not-a-schema",
      place,
      at,
      `expected a schema (an object or a boolean), got ${kindOf(value)}`,
    );
  }

  private remember(schema: JsonObject | boolean, scope: DynamicScope, reference: string): void {
    let known = this.references.get(schema);
    if (!known) this.references.set(schema, (known = new Map<string, string>()));
    else if (++this.copies > mostCopies) refuseCopies(this.registry.places.get(schema as JsonObject)!);
    known.set(this.keyOf(schema, scope), reference);
  }

  private keyOf(schema: JsonObject | boolean, scope: DynamicScope): string {
    return isJsonObject(schema) ? this.scopes.key(schema, this.scopes.entered(schema, scope)) : "";
  }

  private define(schema: JsonObject | boolean, name: string, scope: DynamicScope): string {
    const at = pointer("/$defs", name);
    const reference = referenceTo(at);
    this.remember(schema, scope, reference);
    this.definitions[name] = schema;
    this.pending.push(() => {
      this.definitions[name] = isJsonObject(schema) ? this.written(schema, { scope, at, depth: 1 }) : schema;
    });
    return reference;
  }

  /** The reference to a schema within `scope`. */
  private referenceFor(schema: JsonObject | boolean, scope: DynamicScope): string {
    const known = this.references.get(schema)?.get(this.keyOf(schema, scope));
    return known ?? this.define(schema, this.nameFor(schema), scope);
  }

  private nameFor(schema: JsonObject | boolean): string {
    const place = isJsonObject(schema) ? this.registry.places.get(schema)! : undefined;
    const wished = place ? definitionName(place) : `${schema}`;
    let name = wished;
    for (let number = 2; this.names.has(name); number++) name = `${wished}/${number}`;
    this.names.add(name);
    return name;
  }

  /** The bundled form of a schema. */
  private written(source: JsonObject, context: Context): JsonObject {
    const place = this.registry.places.get(source)!;
    refuseDepth(context.depth, place.at, "subschemas");
    this.origins.set(context.at, place);
    const scope = this.scopes.entered(source, context.scope);
    const target = jsonObject();
    const aside = jsonObject();
    const { rules } = place.resource;
    for (const { keyword, value, written } of inCurrentVocabulary(source, rules.dialect)) {
      if (!rules.hasKeyword(written) || settled.has(keyword)) continue;
      // If `$ref` disables its siblings, `format` is not asserted either.
      if (keyword === "format" && hasReferencesAlone(rules.dialect) && Object.hasOwn(source, "$ref"))
        continue;
      const apart = rules.dialect === "2019-09" && this.takesRest && containing.has(keyword);
      const path = apart ? ["allOf", listLength(source["allOf"]), "not", "not", keyword] : [keyword];
      const inner = { scope, at: pointer(context.at, ...path), depth: context.depth + 1 };
      (apart ? aside : target)[keyword] =
        keyword === "$ref"
          ? this.settled(value, place, pointer(place.at, written), scope, false)
          : this.value(keyword, value, { resource: place.resource, at: pointer(place.at, written) }, inner);
    }
    if (Object.keys(aside).length > 0)
      target["allOf"] = [...listOf(target["allOf"]), { not: { not: aside } }];
    for (const keyword of dynamicReferences) {
      const reference = source[keyword];
      if (reference === undefined || !rules.hasKeyword(keyword)) continue;
      conjoin(target, this.settled(reference, place, pointer(place.at, keyword), scope, true));
    }
    return target;
  }

  /** Whether some schema has `unevaluatedItems`. */
  private get takesRest(): boolean {
    this.restTaken ??= [...this.registry.places.keys()].some((schema) =>
      Object.hasOwn(schema, "unevaluatedItems"),
    );
    return this.restTaken;
  }

  private settled(value: JsonValue, from: Place, at: string, scope: DynamicScope, dynamic: boolean): string {
    const target = targetOf(this.registry, value, from, at);
    const outermost = dynamic && target.dynamic !== undefined ? scope.get(target.dynamic) : undefined;
    return this.referenceFor(outermost ?? target.schema, scope);
  }

  private value(keyword: string, value: JsonValue, from: Place, context: Context): JsonValue {
    const child = (member: JsonValue, key?: string | number): JsonValue => {
      const at = key === undefined ? context.at : pointer(context.at, key);
      if (isJsonObject(member)) return this.written(member, { ...context, at });
      if (typeof member === "boolean") return member;
      return this.refuseValue(member, from, key === undefined ? from.at : pointer(from.at, key));
    };
    switch (keywords.get(keyword)?.shape) {
      case "schema":
        return child(value);
      case "schemaMap":
        // A malformed value is kept, because canonicalising reports it.
        if (!isJsonObject(value)) return value;
        return jsonObject(Object.entries(value).map(([key, member]) => [key, child(member, key)] as const));
      case "schemaSet":
      case "schemaList":
        return Array.isArray(value) ? value.map((member, index) => child(member, index)) : value;
      default:
        return value;
    }
  }
}

/** Adds a reference to a schema, which may already have one. */
function conjoin(target: JsonObject, reference: string): void {
  if (!Object.hasOwn(target, "$ref")) target["$ref"] = reference;
  else target["allOf"] = [...listOf(target["allOf"]), { $ref: reference }];
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function listLength(value: JsonValue | undefined): number {
  return listOf(value).length;
}
