import { type JsonObject, type JsonValue, isJsonObject, pointer } from "../ir/json.js";
import { type Dialect, keywords } from "../ir/keywords.js";
import { SchemaError } from "../ir/schema-error.js";
import { hasReferencesAlone, inCurrentVocabulary } from "../ir/vocabulary.js";
import { type Rules, rulesOf } from "./dialects.js";
import { resolveUri, splitFragment } from "./uri.js";

/** A name for the unnamed dynamic anchor of 2019-09; anchors of 2020-12 cannot have this name. */
export const recursiveAnchor = "#";

/** Keywords whose target depends on the path to the schema. */
export const dynamicReferences = ["$dynamicRef", "$recursiveRef"] as const;

/** A schema resource with an identity (2020-12 core, section 4.3.5): a document, or a part of one that has an `$id`. */
export interface Resource {
  readonly uri: string;
  readonly root: JsonValue;
  readonly rules: Rules;
  /** JSON Pointer of the resource in its document. */
  readonly at: string;
  /** URI of the document that contains the resource; `undefined` for the main document. */
  readonly document: string | undefined;
  readonly anchors: Map<string, JsonValue>;
  readonly dynamicAnchors: Map<string, JsonObject>;
}

/** The place of a schema object. */
export interface Place {
  readonly resource: Resource;
  /** JSON Pointer in the document of the resource. */
  readonly at: string;
}

/** All possible targets of references: the schemas of the main document and of the other given documents. */
export class Registry {
  readonly main: Resource;
  readonly places = new Map<JsonObject, Place>();
  private readonly resources = new Map<string, Resource>();
  private readonly documents: ReadonlyMap<string, JsonValue>;

  constructor(main: JsonValue, documents: ReadonlyMap<string, JsonValue>, dialect: Dialect | undefined) {
    this.documents = new Map([...documents].map(([uri, value]) => [splitFragment(uri).absolute, value]));
    this.main = this.addDocument(main, "", undefined, dialect);
    this.loadReferred();
  }

  /** Registers all documents that references lead to, so that all dynamic anchors are known before one is looked up. */
  private loadReferred(): void {
    // The iteration includes schemas that are added during the loop.
    for (const [schema, { resource }] of this.places) {
      for (const keyword of ["$ref", ...dynamicReferences]) {
        const reference = schema[keyword];
        if (typeof reference !== "string" || reference.startsWith("#")) continue;
        this.find(splitFragment(resolveUri(reference, resource.uri)).absolute);
      }
    }
  }

  /**
   * Returns the resource with an absolute URI, and registers its document if needed. `undefined` if the document was
   * not given.
   */
  find(uri: string): Resource | undefined {
    const known = this.resources.get(uri);
    if (known || !this.documents.has(uri)) return known;
    return this.addDocument(this.documents.get(uri)!, uri, uri, this.main.rules.dialect);
  }

  /** The schemas with a dynamic anchor of this name, in all registered resources. */
  dynamicAnchors(name: string): JsonObject[] {
    const found = [...this.resources.values()].map((resource) => resource.dynamicAnchors.get(name));
    return [...new Set(found.filter((schema) => schema !== undefined))];
  }

  private addDocument(
    root: JsonValue,
    uri: string,
    document: string | undefined,
    dialect: Dialect | undefined,
  ): Resource {
    const rules = rulesOf(root, dialect, this.documents, "/$schema");
    const resource = this.resource(root, uri, rules, "", document);
    if (isJsonObject(root)) this.scan(root, { resource, at: "" }, true);
    // The scan may find an `$id` at the root. The document then has both URIs.
    return (isJsonObject(root) && this.places.get(root)?.resource) || resource;
  }

  private resource(
    root: JsonValue,
    uri: string,
    rules: Rules,
    at: string,
    document: string | undefined,
  ): Resource {
    const resource = { uri, root, rules, at, document, anchors: new Map(), dynamicAnchors: new Map() };
    // The first resource with a URI keeps it.
    if (!this.resources.has(uri)) this.resources.set(uri, resource);
    return resource;
  }

  /**
   * Registers `schema` and the schemas below it.
   *
   * @param identified whether `$id` and anchors count; they do not below unknown keywords
   */
  scan(schema: JsonObject, place: Place, identified: boolean): void {
    const pending: [JsonObject, Place][] = [[schema, place]];
    while (pending.length > 0) {
      const [source, from] = pending.pop()!;
      if (this.places.has(source)) continue;
      const here = identified ? this.identify(source, from) : from;
      this.places.set(source, here);
      for (const [child, at] of subschemas(source, here)) {
        if (isJsonObject(child)) pending.push([child, { resource: here.resource, at }]);
      }
    }
  }

  /** Reads the keywords that identify a schema. */
  private identify(schema: JsonObject, { resource, at }: Place): Place {
    const { dialect } = resource.rules;
    // Before 2019-09, the siblings of `$ref` are ignored, including `$id`.
    if (hasReferencesAlone(dialect) && Object.hasOwn(schema, "$ref")) return { resource, at };
    const id = schema[dialect === "draft-04" ? "id" : "$id"];
    let owner = resource;
    if (typeof id === "string") {
      const { absolute, fragment } = splitFragment(id);
      if (absolute !== "") {
        const uri = splitFragment(resolveUri(absolute, resource.uri)).absolute;
        const rules = rulesOf(schema, resource.rules, this.documents, pointer(at, "$schema"));
        owner = this.resource(schema, uri, rules, at, resource.document);
      }
      if (fragment !== "" && hasReferencesAlone(dialect)) add(owner.anchors, fragment, schema);
    }
    if (
      schema["$recursiveAnchor"] === true &&
      schema === owner.root &&
      owner.rules.hasKeyword("$recursiveAnchor")
    )
      add(owner.dynamicAnchors, recursiveAnchor, schema);
    if (owner.rules.hasKeyword("$anchor")) {
      const { $anchor: anchor, $dynamicAnchor: dynamic } = schema;
      if (typeof anchor === "string") add(owner.anchors, anchor, schema);
      if (typeof dynamic === "string" && owner.rules.hasKeyword("$dynamicAnchor")) {
        add(owner.anchors, dynamic, schema);
        add(owner.dynamicAnchors, dynamic, schema);
      }
    }
    return { resource: owner, at };
  }
}

function add<Value>(names: Map<string, Value>, name: string, value: Value): void {
  if (!names.has(name)) names.set(name, value);
}

/** Yields the direct subschemas of a schema, by the rules of its resource, with their places. */
export function* subschemas(source: JsonObject, { resource, at }: Place): Generator<[JsonValue, string]> {
  for (const { keyword, value, written } of inCurrentVocabulary(source, resource.rules.dialect)) {
    if (!resource.rules.hasKeyword(written)) continue;
    const place = pointer(at, written);
    switch (keywords.get(keyword)?.shape) {
      case "schema":
        yield [value, place];
        break;
      case "schemaMap":
        if (isJsonObject(value))
          for (const [key, child] of Object.entries(value)) yield [child, pointer(place, key)];
        break;
      case "schemaSet":
      case "schemaList":
        if (Array.isArray(value))
          for (const [index, child] of value.entries()) yield [child, pointer(place, index)];
        break;
      default:
    }
  }
}

/** @throws SchemaError at `at` in the document of `place`; names the document if it is not the main one */
export function throwSchemaError(
  code: ConstructorParameters<typeof SchemaError>[0],
  { resource }: Place,
  at: string,
  message: string,
  candidates: readonly string[] = [],
): never {
  const where = resource.document === undefined ? "" : `${resource.document}: `;
  throw new SchemaError(code, at, where + message, candidates, resource.document);
}
