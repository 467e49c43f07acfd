import { join } from "node:path";
import { packageFolder, readRegularText } from "./regular-file.js";
import {
  type Explainer,
  type Issue,
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  atPointer,
  explainerFor,
  inPlaceChildren,
  isJsonObject,
  issueKind,
  pointer,
  pointerTokens,
  readDocument,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { CodeOfError } from "../diagnostics/catalogue.js";
import { type Place, invariant, CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";

/** The error codes for faults in one kind of file. */
export interface FormCodes {
  /** For an unknown key. */
  readonly unknownKey: CodeOfError;
  /** For an invalid value or a missing key. */
  readonly wrongValue: CodeOfError;
  /** Keys of earlier versions, as pointers, and what to write today. They are kept for one minor version. */
  readonly gone?: Readonly<Record<string, string>>;
}

/** A kind of file whose JSON Schema is published in `docs/`, where editors find it. */
type PublishedForm = "bridge" | "config" | "contract" | "extension";

/** The published JSON Schema of a kind of file, which editors use too. */
function publishedForm(name: PublishedForm): JsonObject {
  return JSON.parse(readRegularText(join(packageFolder(), `docs/${name}.schema.json`))) as JsonObject;
}

/** The form of a kind of file, as a JSON Schema. */
export class FileForm {
  readonly #document: JsonObject | PublishedForm;
  readonly #codes: FormCodes;
  #read: Form | undefined;

  constructor(document: JsonObject | PublishedForm, codes: FormCodes) {
    this.#document = document;
    this.#codes = codes;
  }

  /** The parsed schema; parsed on first use. */
  get form(): Form {
    if (this.#read) return this.#read;
    const document = typeof this.#document === "string" ? publishedForm(this.#document) : this.#document;
    const schema = readDocument(document, { enums: "written" });
    return (this.#read = new Form(schema, this.#codes, document));
  }

  /** The faults of a value; empty if it is valid. At most one more than are reported. */
  faults(value: JsonValue): Fault[] {
    return this.form.faults(value);
  }
}

/** Validates values of files with a schema, and describes faults. */
export class Form {
  readonly schema: Schema;
  readonly #codes: FormCodes;
  /** Created on the first invalid value. */
  #explainer: Explainer | undefined;
  readonly #document: JsonObject | undefined;

  /** @param document the schema document, with keys in the order of the documentation */
  constructor(schema: Schema, codes: FormCodes, document?: JsonObject) {
    this.schema = schema;
    this.#codes = codes;
    this.#document = document;
  }

  /** @param node the schema to validate with; default: that of the whole file */
  faults(value: JsonValue, node: SchemaNode = this.schema.root!): Fault[] {
    if (isValid(this.schema, node, value)) return [];
    this.#explainer ??= explainerFor(this.schema);
    const issues = this.#explainer.issues(node, value, undefined, mostFaults + 1);
    invariant(issues.length > 0, "a value that the schema refuses has issues");
    const meant = new Set(issues.flatMap((issue) => this.#meantPlace(issue, node)));
    return issues
      .filter((issue) => issueKind(issue) !== "missing-key" || !meant.has(issue.pointer))
      .map((issue) => this.#fault(issue, value, node));
  }

  /** The nodes, and all nodes that apply to the same value. */
  inPlace(nodes: readonly SchemaNode[]): SchemaNode[] {
    const found = new Set<SchemaNode>();
    const pending = [...nodes];
    for (let node = pending.shift(); node !== undefined; node = pending.shift()) {
      if (found.has(node)) continue;
      found.add(node);
      const referred = node.ref === undefined ? [] : [this.schema.definitions.get(node.ref)!.node];
      pending.push(...referred, ...inPlaceChildren(node));
    }
    return [...found];
  }

  #fault(issue: Issue, value: JsonValue, root: SchemaNode): Fault {
    const { expected, got, suggestion } = issue;
    const [around, key] = lastStep(issue.pointer);
    const { unknownKey, wrongValue, gone } = this.#codes;
    const today = gone?.[issue.pointer];
    switch (issueKind(issue)) {
      case "unknown-key":
        return {
          code: unknownKey,
          pointer: issue.pointer,
          message: today
            ? `the key ${JSON.stringify(key)} is gone`
            : `there is no key ${JSON.stringify(key)}`,
          next: today ?? this.#keyAdvice(issue, this.#nodesAt(root, around)),
        };
      case "missing-key":
        // A configuration module may have an array with a hole.
        if (Array.isArray(atPointer(value, around)))
          return {
            ...{ code: wrongValue, pointer: issue.pointer, message: `expected ${expected}, got undefined` },
            next: correctionOf(this.#codes),
          };
        return {
          code: wrongValue,
          pointer: around,
          message: `expected the key ${JSON.stringify(key)}, which is missing`,
          next: `Add ${JSON.stringify(key)}: ${expected}.`,
          missing: key,
        };
      case "excluded":
        return {
          code: wrongValue,
          pointer: issue.pointer,
          message: `expected no value, got ${got}`,
          next: `Remove ${JSON.stringify(key)}.`,
        };
      case "value":
        return {
          code: wrongValue,
          pointer: issue.pointer,
          message: `expected ${expected}, got ${got}`,
          next: this.#correction(
            atPointer(value, issue.pointer),
            suggestion,
            this.#nodesAt(root, issue.pointer),
          ),
          expected,
        };
    }
  }

  /** The pointer of the correct key for a misspelt one. */
  #meantPlace(issue: Issue, root: SchemaNode): string[] {
    if (issueKind(issue) !== "unknown-key") return [];
    const [around] = lastStep(issue.pointer);
    const meant = meantKey(issue, this.#nodesAt(root, around));
    return meant === undefined ? [] : [pointer(around, meant)];
  }

  #keyAdvice(issue: Issue, nodes: readonly SchemaNode[]): string {
    const meant = meantKey(issue, nodes);
    if (meant !== undefined) return didYouMean(meant);
    return hasConditions(nodes)
      ? `Correct or remove it; \`mcpgen explain ${this.#codes.unknownKey}\` says more.`
      : `The keys are ${this.#keysInOrder(nodes).join(", ")}.`;
  }

  /** The keys in the order of the schema document, if there is one. */
  #keysInOrder(nodes: readonly SchemaNode[]): string[] {
    const written = nodes.flatMap(({ pointer: at }) => {
      const properties = this.#document && atPointer(this.#document, pointer(at, "properties"));
      return isJsonObject(properties) ? Object.keys(properties) : [];
    });
    return [...new Set([...written, ...keysOf(nodes)])];
  }

  #correction(
    value: JsonValue | undefined,
    suggestion: string | undefined,
    nodes: readonly SchemaNode[],
  ): string {
    const choices = nodes.flatMap((node) => node.enum ?? []).filter((choice) => typeof choice === "string");
    const meant = suggestion ?? (typeof value === "string" ? closest(value, choices) : undefined);
    if (meant !== undefined) return didYouMean(meant);
    const example = nodes.find(({ examples }) => examples !== undefined)?.examples?.[0];
    return example === undefined
      ? correctionOf(this.#codes)
      : `Write a value such as ${JSON.stringify(example)}.`;
  }

  /** The subschemas that apply to the value at a place. */
  #nodesAt(root: SchemaNode, at: string): SchemaNode[] {
    let nodes = this.inPlace([root]);
    for (const token of pointerTokens(at)) {
      const inner = nodes.flatMap(({ properties, additionalProperties, items }) => {
        const part = properties?.get(token) ?? additionalProperties ?? items;
        return part ? [part] : [];
      });
      nodes = this.inPlace(inner);
    }
    return nodes;
  }
}

/** Default advice for an invalid value. */
export function correctionOf({ wrongValue }: FormCodes): string {
  return `Correct the value; \`mcpgen explain ${wrongValue}\` says more.`;
}

/** Advice for a misspelt name. */
export function didYouMean(name: string): string {
  return `Did you mean ${JSON.stringify(name)}?`;
}

/** @param nodes schemas of the object with the key */
function meantKey({ pointer: at, suggestion }: Issue, nodes: readonly SchemaNode[]): string | undefined {
  return suggestion ?? (hasConditions(nodes) ? undefined : closest(lastStep(at)[1], keysOf(nodes)));
}

/** Whether the allowed keys depend on values, so that no list of them would be correct. */
function hasConditions(nodes: readonly SchemaNode[]): boolean {
  return nodes.some((node) => node.if !== undefined);
}

function keysOf(nodes: readonly SchemaNode[]): string[] {
  return [...new Set(nodes.flatMap(({ properties }) => [...(properties?.keys() ?? [])]))];
}

/** Splits a pointer into the enclosing place and the last key. */
function lastStep(at: string): readonly [around: string, key: string] {
  return [at.slice(0, at.lastIndexOf("/")), pointerTokens(at).at(-1) ?? ""];
}

/** A fault at one place of a file. */
export interface Fault {
  readonly code: CodeOfError;
  /** JSON Pointer of the place; for a missing key, of the object that lacks it. */
  readonly pointer: string;
  readonly message: string;
  /** Advice. */
  readonly next: string;
  /** The expected type, or another requirement of the schema. */
  readonly expected?: string;
  /** The missing key. */
  readonly missing?: string;
}

/** Maximum number of faults reported at once. */
const mostFaults = 20;

/** Number of faults whose places are looked up; one more shows that there are more. */
const placed = mostFaults + 1;

/** Looks up line and column of the value at a JSON Pointer. */
export type PlaceOf = (pointer: string) => Promise<Place>;

/** Returns a function that looks up places in a JSON file. */
export function placesIn({ file, text }: { readonly file: string; readonly text: string }): PlaceOf {
  return async (pointer) => {
    const { positionOf } = await import("./json-file.js");
    return { file, pointer, ...positionOf(text, pointer) };
  };
}

/**
 * Throws if there are faults.
 *
 * @throws CodedError from `errorOfFaults`
 */
export async function refuseFaults(faults: readonly Fault[], placeOf: PlaceOf): Promise<void> {
  const places = new Map<string, Place>();
  for (const { pointer } of faults.slice(0, placed)) places.set(pointer, await placeOf(pointer));
  const error = errorOfFaults(faults, (pointer) => places.get(pointer)!);
  if (error) throw error;
}

/**
 * The error for the first fault of a file, with the others up to `mostFaults`.
 *
 * @param faults in any order; faults without lines keep it
 * @returns undefined if there are no faults
 */
export function errorOfFaults(
  faults: readonly Fault[],
  placeOf: (pointer: string) => Place,
): CodedError | undefined {
  const inOrder = faults
    .slice(0, placed)
    .map((fault) => ({ ...fault, place: placeOf(fault.pointer) }))
    .sort(({ place: a }, { place: b }) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const [first, ...others] = inOrder.slice(0, mostFaults);
  if (!first) return undefined;
  const more = others.map(({ code, message, place, next }, index) => {
    const isCut = faults.length > mostFaults && index === others.length - 1;
    return new CodedError(code, message, {
      ...{ place, next },
      ...(isCut && { detail: `These are the first ${mostFaults}.` }),
    });
  });
  return new CodedError(first.code, first.message, { place: first.place, next: first.next, more });
}
