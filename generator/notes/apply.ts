import {
  type DefinitionRemarks,
  type JsonObject,
  type JsonValue,
  type NodeRemarks,
  atPointer,
  canonicalText,
  canonicalise,
  escapeToken,
  SchemaError,
  isJsonObject,
  isSchemaPlace,
  jsonEqual,
  jsonObject,
  naturalCompare,
  pointerTokens,
  readSchema,
} from "@mcpgen/engine";
import type {
  ErrataNote,
  ExtendsNote,
  Note,
  OpenNote,
  RenamedNote,
  ReshapedNote,
  WrappedNote,
} from "./note.js";

/** A note, or one target of it, that cannot be applied or has no effect. */
export interface NoteProblem {
  readonly code: "MG1201" | "MG1202" | "MG1203" | "MG1312" | "MG1313";
  readonly note: Note;
  readonly target: string;
  readonly message: string;
  /** Set if no decision is open, because the note concerns an older pair of revisions. */
  readonly settled?: true;
}

/** A schema after its notes were applied. */
export interface Corrected {
  /** Canonical document after errata and inherited openness. */
  readonly document: JsonObject;
  readonly nodeRemarks: ReadonlyMap<string, NodeRemarks>;
  readonly definitionRemarks: ReadonlyMap<string, DefinitionRemarks>;
  readonly problems: readonly NoteProblem[];
}

/**
 * Applies the notes about the schema (errata, extends, open, and deprecated on schema places) to a canonical
 * document, which is not modified. Notes about methods are applied by the protocol model.
 */
export function applyNotes(document: JsonObject, notes: readonly Note[]): Corrected {
  const work = new Application(document);
  for (const note of notes) {
    if (note.kind === "errata") work.errata(note);
    if (note.kind === "open") work.reopen(note);
  }
  work.extend(notes.filter((note) => note.kind === "extends"));
  for (const note of notes) {
    if (note.kind === "open") work.open(note);
    if (note.kind === "renamed") work.checkRenamed(note);
    if (note.kind === "wrapped") work.checkWrapped(note);
    if (note.kind === "reshaped") work.checkReshaped(note);
    if (note.kind === "deprecated") {
      const { since, instead } = note;
      const places = note.targets.filter((target) => target.startsWith("/"));
      for (const target of places) {
        work.remark(note, target, { deprecated: { since, ...(instead !== undefined && { instead }) } });
      }
    }
  }
  return work.result();
}

class Application {
  /** The given node until the first change; changed nodes are copies. */
  private document: JsonObject;
  /** Set once the complete document is a copy with inserted parts that may not be canonical. */
  private replaced = false;
  private readonly nodeRemarks = new Map<string, NodeRemarks>();
  private readonly bases = new Map<string, string[]>();
  private readonly problems: NoteProblem[] = [];
  /** The directions of places whose members notes make. */
  private readonly made = new Set<string>();
  /** Places of objects that were closed and are now open. */
  private readonly reopened = new Set<string>();

  constructor(document: JsonObject) {
    this.document = document;
  }

  errata(note: ErrataNote): void {
    for (const target of note.targets) {
      if (note.type !== undefined) this.remark(note, target, { typeText: note.type });
      else this.replace(note, target, note.becomes!);
    }
  }

  private replace(note: ErrataNote, target: string, becomes: JsonValue): void {
    const tokens = pointerTokens(target);
    const place = tokens
      .slice(0, -1)
      .map((token) => `/${escapeToken(token)}`)
      .join("");
    const parent = atPointer(this.document, place);
    const key = tokens.at(-1);
    if (key === undefined || !isJsonObject(parent) || !Object.hasOwn(parent, key)) {
      this.problem("MG1202", note, target, "the schema has nothing at this place");
      return;
    }
    const fault = faultOf(becomes);
    if (fault !== undefined) {
      this.problem("MG1201", note, target, `"becomes" is no schema: ${fault}`);
      return;
    }
    if (canonicalText(canonicalNode(parent[key]!)) === canonicalText(canonicalNode(becomes))) {
      this.problem("MG1203", note, target, "the schema already says so");
      return;
    }
    if (!this.replaced) this.document = structuredClone(this.document) as JsonObject;
    this.replaced = true;
    (atPointer(this.document, place) as JsonObject)[key] = becomes;
  }

  /**
   * Opens objects that reject undeclared members: programs that print schemas close objects whose types are
   * open. For other targets, see `remark`.
   */
  reopen(note: OpenNote): void {
    const closed = note.targets.filter((target) => isClosed(atPointer(this.document, target)));
    if (closed.length === 0) return;
    if (!this.replaced) this.document = structuredClone(this.document) as JsonObject;
    this.replaced = true;
    for (const target of closed) {
      delete (atPointer(this.document, target) as JsonObject)["additionalProperties"];
      this.reopened.add(target);
    }
  }

  /** Records bases, and applies their openness to derived definitions; bases of bases first. */
  extend(notes: readonly ExtendsNote[]): void {
    const pending: { name: string; base: string }[] = [];
    for (const note of notes) {
      for (const target of note.targets) {
        const [holder, definition, ...inside] = pointerTokens(target);
        const name = holder === "$defs" && inside.length === 0 ? definition : undefined;
        const problem =
          name === undefined
            ? "expected the pointer of a definition"
            : this.extensionProblem(name, note.base);
        if (problem !== undefined || name === undefined) {
          this.problem("MG1202", note, target, problem!);
          continue;
        }
        if (this.bases.get(name)?.includes(note.base)) {
          this.problem("MG1203", note, target, `another note says that it extends ${note.base}`);
          continue;
        }
        this.bases.set(name, [...(this.bases.get(name) ?? []), note.base]);
        pending.push({ name, base: note.base });
      }
    }
    if (pending.length === 0) return;
    const definitions = jsonObject(Object.entries(this.document["$defs"] as JsonObject));
    this.document = jsonObject([...Object.entries(this.document), ["$defs", definitions]]);
    let opened = true;
    while (opened) {
      opened = false;
      for (const { name, base } of pending) {
        const derived = this.definition(name)!;
        if (!isOpen(this.definition(base)!) || saysOfOthers(derived)) continue;
        const entries = [...Object.entries(derived), ["additionalProperties", jsonObject()] as const];
        definitions[name] = jsonObject(entries.sort(([a], [b]) => naturalCompare(a, b)));
        opened = true;
      }
    }
  }

  private extensionProblem(name: string, base: string): string | undefined {
    const derivedNode = this.definition(name);
    const baseNode = this.definition(base);
    if (!derivedNode) return "the schema has no such definition";
    if (!baseNode) return `the schema has no definition ${JSON.stringify(base)} to extend`;
    if (!isExtendable(baseNode)) return `${base} is no plain object, which alone can be extended`;
    if (this.isBaseOf(name, base)) return `${base} would extend itself`;
    return repeats(derivedNode, baseNode) ? undefined : `the definition does not have all members of ${base}`;
  }

  /** Whether `name` is `base` or one of the bases recorded so far. */
  private isBaseOf(name: string, base: string): boolean {
    const found = new Set([base]);
    // Iterating over a Set includes elements added during the loop.
    for (const known of found) for (const further of this.bases.get(known) ?? []) found.add(further);
    return found.has(name);
  }

  private definition(name: string): JsonObject | undefined {
    const found = atPointer(this.document, `/$defs/${escapeToken(name)}`);
    return isJsonObject(found) ? found : undefined;
  }

  open(note: OpenNote): void {
    for (const target of note.targets)
      if (!this.reopened.has(target)) this.remark(note, target, { open: true });
  }

  remark(note: Note, target: string, remark: NodeRemarks): void {
    const found = target.startsWith("/") && isSchemaPlace(target) && atPointer(this.document, target);
    if (found === undefined || found === false) {
      this.problem("MG1202", note, target, "the schema has no node at this place");
      return;
    }
    this.nodeRemarks.set(target, { ...this.nodeRemarks.get(target), ...remark });
  }

  /** Checks that each target is a member, and that the object has no member with the other name. */
  checkRenamed(note: RenamedNote): void {
    for (const target of note.targets) {
      const tokens = pointerTokens(target);
      const isMember = tokens.at(-2) === "properties" && isSchemaPlace(target);
      const parent = target.slice(0, target.lastIndexOf("/"));
      const members = isMember ? atPointer(this.document, parent) : undefined;
      if (!isJsonObject(members) || !Object.hasOwn(members, tokens.at(-1)!))
        this.problem("MG1202", note, target, "the schema has no member of an object at this place");
      else if (Object.hasOwn(members, note.from))
        this.problem("MG1203", note, target, `the object has a member ${JSON.stringify(note.from)} still`);
    }
  }

  /** Checks that each target is a definition without a member of that name. */
  checkWrapped(note: WrappedNote): void {
    for (const target of note.targets) {
      const [holder, name, ...inside] = pointerTokens(target);
      const isDefinition = holder === "$defs" && name !== undefined && inside.length === 0;
      const definition = isDefinition ? atPointer(this.document, target) : undefined;
      const members = isJsonObject(definition) ? definition["properties"] : undefined;
      if (!isJsonObject(definition))
        this.problem("MG1202", note, target, "the schema has no definition at this place");
      else if (isJsonObject(members) && Object.hasOwn(members, note.in))
        this.problem("MG1203", note, target, `the object has a member ${JSON.stringify(note.in)} still`);
    }
  }

  /**
   * Checks that each target is a place in the schema whose members no other note makes in the same direction.
   */
  checkReshaped(note: ReshapedNote): void {
    for (const target of note.targets) {
      const isPlace = target.startsWith("/") && isSchemaPlace(target);
      if (!isPlace || atPointer(this.document, target) === undefined) {
        this.problem("MG1202", note, target, "the schema has no node at this place");
        continue;
      }
      for (const way of ["lift", "lower"] as const) {
        if (note[way] === undefined) continue;
        const key = [way, note.previous, target].join(" ");
        if (this.made.has(key))
          this.problem("MG1203", note, target, `another note of this kind has "${way}" for it`);
        this.made.add(key);
      }
    }
  }

  private problem(code: NoteProblem["code"], note: Note, target: string, message: string): void {
    this.problems.push({ code, note, target, message });
  }

  result(): Corrected {
    return {
      document: this.replaced ? canonicalise(this.document) : this.document,
      nodeRemarks: this.nodeRemarks,
      definitionRemarks: new Map(
        [...this.bases].map(([name, bases]) => [name, { extends: bases.sort(naturalCompare) }]),
      ),
      problems: this.problems,
    };
  }
}

/** Whether an object rejects all undeclared members. */
function isClosed(node: JsonValue | undefined): boolean {
  return isJsonObject(node) && isJsonObject(node["properties"]) && node["additionalProperties"] === false;
}

function canonicalNode(node: JsonValue): JsonValue {
  return isJsonObject(node) ? canonicalise({ $defs: { node } })["$defs"]! : node;
}

/** The fault of a schema inside a note. References are checked after it is inserted. */
function faultOf(becomes: JsonValue): string | undefined {
  try {
    readSchema(canonicalise({ $defs: { node: becomes } }));
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    if (error.code !== "unresolved-reference") return error.message;
  }
  return undefined;
}

/** Whether the definition can be an interface. */
export function isExtendable(definition: JsonObject): boolean {
  const combined = ["$ref", "allOf", "anyOf", "oneOf", "const", "enum"];
  return definition["type"] === "object" && !combined.some((keyword) => keyword in definition);
}

/** Whether `derived` has all members of `base` and requires the same. */
export function repeats(derived: JsonObject, base: JsonObject): boolean {
  const own = isJsonObject(derived["properties"]) ? derived["properties"] : {};
  const inherited = isJsonObject(base["properties"]) ? base["properties"] : {};
  const required = Array.isArray(derived["required"]) ? derived["required"] : [];
  const inheritedRequired = Array.isArray(base["required"]) ? base["required"] : [];
  return (
    Object.keys(inherited).every((key) => Object.hasOwn(own, key)) &&
    inheritedRequired.every((key) => required.some((present) => jsonEqual(present, key)))
  );
}

/** Whether the definition itself has a keyword about undeclared members. */
export function saysOfOthers(definition: JsonObject): boolean {
  return "additionalProperties" in definition || "unevaluatedProperties" in definition;
}

/** Whether the definition's type has an index signature of `unknown`. */
export function isOpen(definition: JsonObject): boolean {
  const additional = definition["additionalProperties"];
  if (isJsonObject(additional)) return Object.keys(additional).length === 0;
  return (
    !saysOfOthers(definition) && definition["properties"] === undefined && definition["type"] === "object"
  );
}
