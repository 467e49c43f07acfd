import {
  type Explainer,
  type Issue,
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  explainerFor,
  inPlaceChildren,
  issueKind,
  pointer,
  pointerTokens,
  readDocument,
} from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";
import type { CodeOfError } from "../diagnostics/catalogue.js";
import { invariant } from "../diagnostics/invariant.js";
import { type Fault, mostFaults } from "./fault.js";

/** The codes of what is wrong with one kind of file. */
export interface FormCodes {
  /** For a key that means nothing. */
  readonly unknownKey: CodeOfError;
  /** For a value that is not allowed, or a key that is missing. */
  readonly wrongValue: CodeOfError;
}

interface ReadSchema {
  readonly schema: Schema;
  readonly isValid: (value: JsonValue) => boolean;
  readonly explainer: Explainer;
}

/** The form of one kind of file that users write: the JSON Schema that `docs/` publishes, by which editors judge, too. */
export class FileForm {
  readonly #document: JsonObject;
  readonly #codes: FormCodes;
  #read: ReadSchema | undefined;

  constructor(document: JsonObject, codes: FormCodes) {
    this.#document = document;
    this.#codes = codes;
  }

  /** What keeps a value from having this form; nothing if it has. At most `mostFaults`. */
  faults(value: JsonValue): Fault[] {
    const { schema, isValid, explainer } = this.#schema();
    if (isValid(value)) return [];
    const issues = explainer.issues(schema.root!, value, undefined, mostFaults);
    invariant(issues.length > 0, "a value that the schema refuses has issues");
    const meant = new Set(issues.flatMap(meantPlace));
    return issues
      .filter((issue) => issueKind(issue) !== "missing-key" || !meant.has(issue.pointer))
      .map((issue) => this.#fault(schema, issue));
  }

  /** The schema is read for the first value. */
  #schema(): ReadSchema {
    if (!this.#read) {
      const schema = readDocument(this.#document, { enums: "written" });
      this.#read = { schema, isValid: validatorOf(schema), explainer: explainerFor(schema) };
    }
    return this.#read;
  }

  #fault(schema: Schema, issue: Issue): Fault {
    const { expected, got, suggestion } = issue;
    const [around, key] = lastStep(issue.pointer);
    const meant = suggestion === undefined ? undefined : `Did you mean ${JSON.stringify(suggestion)}?`;
    switch (issueKind(issue)) {
      case "unknown-key":
        return {
          code: this.#codes.unknownKey,
          pointer: issue.pointer,
          message: `there is no key ${JSON.stringify(key)}`,
          next: meant ?? this.#otherKeys(nodesAt(schema, around)),
        };
      case "missing-key":
        return {
          code: this.#codes.wrongValue,
          pointer: around,
          message: `expected the key ${JSON.stringify(key)}, which is missing`,
          next: `Add ${JSON.stringify(key)}: ${expected}.`,
        };
      case "value":
        return {
          code: this.#codes.wrongValue,
          pointer: issue.pointer,
          message: `expected ${expected}, got ${got}`,
          next: meant ?? this.#correction(nodesAt(schema, issue.pointer)),
        };
    }
  }

  /** Where keys depend on values, no list of them is right. */
  #otherKeys(nodes: readonly SchemaNode[]): string {
    const keys = new Set(nodes.flatMap(({ properties }) => [...(properties?.keys() ?? [])]));
    return nodes.some((node) => node.if !== undefined)
      ? `Correct or remove it; \`mcpgen explain ${this.#codes.unknownKey}\` says more.`
      : `The keys are ${[...keys].join(", ")}.`;
  }

  #correction(nodes: readonly SchemaNode[]): string {
    const example = nodes.find(({ examples }) => examples !== undefined)?.examples?.[0];
    return example === undefined
      ? `Correct the value; \`mcpgen explain ${this.#codes.wrongValue}\` says more.`
      : `Write a value such as ${JSON.stringify(example)}.`;
  }
}

/** The place of the key that a misspelt key stands for. */
function meantPlace(issue: Issue): string[] {
  if (issueKind(issue) !== "unknown-key" || issue.suggestion === undefined) return [];
  return [pointer(lastStep(issue.pointer)[0], issue.suggestion)];
}

/** A place as the place around it, and the key there. */
function lastStep(at: string): readonly [around: string, key: string] {
  return [at.slice(0, at.lastIndexOf("/")), pointerTokens(at).at(-1) ?? ""];
}

/** The subschemas that say something of the value at a place. */
function nodesAt(schema: Schema, at: string): SchemaNode[] {
  let nodes = inPlace(schema, [schema.root!]);
  for (const token of pointerTokens(at)) {
    const inner = nodes.flatMap(({ properties, additionalProperties, items }) => {
      const part = properties?.get(token) ?? additionalProperties ?? items;
      return part ? [part] : [];
    });
    nodes = inPlace(schema, inner);
  }
  return nodes;
}

/** Nodes with all that apply to the same value. */
function inPlace(schema: Schema, nodes: readonly SchemaNode[]): SchemaNode[] {
  const found = new Set<SchemaNode>();
  const pending = [...nodes];
  for (let node = pending.shift(); node !== undefined; node = pending.shift()) {
    if (found.has(node)) continue;
    found.add(node);
    const referred = node.ref === undefined ? [] : [schema.definitions.get(node.ref)!.node];
    pending.push(...referred, ...inPlaceChildren(node));
  }
  return [...found];
}
