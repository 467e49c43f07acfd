import {
  type JsonObject,
  type Schema,
  type SchemaNode,
  type Definition,
  atPointer,
  isJsonObject,
  jsonObject,
  pointer,
  pointerTokens,
  readSchema,
  reachable,
  withChildren,
  withReferenceNames,
} from "@mcpgen/engine";
import { type Place, CodedError } from "../diagnostics/coded-error.js";
import { buildModel } from "../model/build-model.js";
import {
  type ChannelFault,
  type ExtensionModel,
  faultsOfChannel,
  completeExtension,
} from "../model/extension-model.js";
import {
  type Assumption,
  type ProtocolModel,
  type Method,
  answersOf,
  withDefinitionNames,
} from "../model/model.js";
import { type CarriesNote, type ExtendsNote, type Note, answersNamed, withNames } from "../notes/note.js";
import { type NoteProblem, applyNotes } from "../notes/apply.js";
import { withPlaces } from "../revision/schema-source.js";
import type { ExtensionSource } from "./extension-store.js";
import {
  type BaseNames,
  flattened,
  baseNames,
  definitionReference,
  isBaseReference,
  referredDefinition,
  withBaseDefinitions,
  withoutBaseReferences,
  withDefinitions,
  withStubs,
} from "./flatten.js";
import { authoredSchema } from "../targets/typescript/authoring/authored-schema.js";

interface OverOptions {
  /**
   * Whether the base was read without notes. Notes of the extension that depend on notes of the base are then
   * dropped, each with an assumption.
   */
  readonly withoutNotes?: boolean;
}

/**
 * Compiles an extension over one of its bases.
 *
 * @throws CodedError MG1303 for a reference that the base cannot resolve, MG11xx for an invalid schema,
 * MG1202 and MG1203 for a note without a target or an effect
 */
export async function extensionOver(
  source: ExtensionSource,
  base: ProtocolModel,
  { withoutNotes = false }: OverOptions = {},
): Promise<ExtensionModel> {
  let notes = source.notes.filter(({ bases }) => bases?.includes(base.revision) ?? true);
  const leftOut: Assumption[] = [];
  for (;;) {
    const { extension, problems } = await compiled(source, base, notes);
    if (!withoutNotes) refuseProblems(problems, source, base.revision);
    if (problems.length === 0) {
      if (extension.channel) refuseFaults(faultsOfChannel(extension.channel), source, base.revision);
      return withChannelDefinitions({ ...extension, assumptions: [...extension.assumptions, ...leftOut] });
    }
    const rest = notes.flatMap((note) => withoutTargets(note, problems));
    if (rest.every((note, index) => note === notes[index])) refuseProblems(problems, source, base.revision);
    // Dropping a note may make another one ineffective, so the loop repeats until all remaining notes have an
    // effect.
    leftOut.push(...problems.map(assumptionOf));
    notes = rest;
  }
}

function assumptionOf({ note, target, message }: NoteProblem): Assumption {
  const text = `The note was left out, because the base was read without notes: ${message}.`;
  return { kind: note.kind, subject: target, text };
}

/** The note without targets that have problems; empty if no target remains. */
function withoutTargets(note: Note, problems: readonly NoteProblem[]): Note[] {
  // Notes are rewritten before they are applied, but keep their pointer in the file.
  const gone = problems.filter((problem) => problem.note.pointer === note.pointer);
  const targets = note.targets.filter((target) => gone.every((problem) => problem.target !== target));
  return gone.length === 0 ? [note] : targets.length === 0 ? [] : [{ ...note, targets }];
}

async function compiled(
  source: ExtensionSource,
  base: ProtocolModel,
  notes: readonly Note[],
): Promise<{ readonly extension: ExtensionModel; readonly problems: readonly NoteProblem[] }> {
  const problems: NoteProblem[] = [];
  const { schema, own, imported } = await schemaOver(source, base, notes, problems);
  const named = notes.map((note) => inNames(note, imported));
  const { model, problems: found } = buildModel({
    revision: base.revision,
    status: source.about.status,
    schema,
    notes: named,
    over: { base, own, imported },
  });
  problems.push(...found);
  const extension = completeExtension({ facts: source.about, base, imported, notes: named, model }, problems);
  return { extension, problems };
}

interface SchemaOver {
  /** The extension's definitions, and the base definitions that they use. */
  readonly schema: Schema;
  readonly own: ReadonlySet<string>;
  /** The base definition that a name stands for. */
  readonly imported: ReadonlyMap<string, string>;
}

async function schemaOver(
  source: ExtensionSource,
  base: ProtocolModel,
  notes: readonly Note[],
  problems: NoteProblem[],
): Promise<SchemaOver> {
  const written = isJsonObject(source.document["$defs"]) ? Object.keys(source.document["$defs"]) : [];
  const names = baseNames(base.schema, new Set(written));
  const seen = new Set<string>(definitionsBeside(notes, base));
  const inSchema = {
    base: base.revision,
    schema: base.schema,
    placeOf: (at: string): Place => ({ file: source.schemaFile.file, pointer: at }),
  };
  const work = { source, base, names, seen, problems };
  const plain = withoutBaseReferences(source.document, { names, referring: inSchema, seen }) as JsonObject;
  const extended = withInherited(plain, notes, work);
  const corrections = notes.flatMap((note) => corrected(note, work));
  const document = withStubs(extended, [...seen].map(names.keyOf));
  const applied = applyNotes(document, corrections);
  problems.push(...applied.problems);
  const read = await withPlaces(source.schemaFile, () =>
    readSchema(applied.document, {
      nodeRemarks: (at) => applied.nodeRemarks.get(at),
      definitionRemarks: (name) => applied.definitionRemarks.get(name),
    }),
  );
  const joined = withBaseDefinitions(read, base.schema, seen, names);
  const imported = new Map(
    [...joined.definitions.keys()].flatMap((key) => {
      const name = names.definitionOf(key);
      return name === undefined ? [] : [[key, name] as const];
    }),
  );
  const own = new Set([...read.definitions.keys()].filter((name) => !imported.has(name)));
  const places = new Set(notes.flatMap((note) => (note.kind === "carries" ? note.targets : [])));
  const carrying = withCarriedResults(joined, places, (name) => base.owned.get(imported.get(name) ?? ""));
  return { schema: flattened(carrying, own), own, imported };
}

/**
 * Definitions that the model needs even if the schema does not refer to them: minimal results, and
 * definitions in notes.
 */
function definitionsBeside(notes: readonly Note[], { schema, methods }: ProtocolModel): string[] {
  const least = ["EmptyResult", "Result"].filter((name) => schema.definitions.has(name));
  const results = notes.flatMap((note) =>
    note.kind === "augments"
      ? note.targets.flatMap(
          (target) => methods.find(({ name }) => name === target)?.result?.definition ?? [],
        )
      : [],
  );
  const named = notes.flatMap((note) => {
    if (note.kind === "pairing") return answersNamed(note);
    return note.kind === "channel" ? [note.message ?? "", note.result ?? ""] : [];
  });
  const travelling = new Set(notes.flatMap((note) => (note.kind === "channel" ? note.targets : [])));
  const ofChannel = methods
    .filter(({ name }) => travelling.has(name))
    .flatMap(({ message, result }) => [message, result?.definition ?? message]);
  const ofBase = named.flatMap((name) => definitionNamed(name) ?? []);
  return [...least, ...results, ...ofChannel, ...ofBase.filter((name) => schema.definitions.has(name))];
}

/** The definition in a reference `base#/$defs/X`. */
function definitionNamed(reference: string): string | undefined {
  return isBaseReference(reference) ? pointerTokens(reference.slice("base#".length))[1] : undefined;
}

interface Work {
  readonly source: ExtensionSource;
  readonly base: ProtocolModel;
  readonly names: BaseNames;
  readonly seen: Set<string>;
  readonly problems: NoteProblem[];
}

/** The document with the additional bases that notes name for definitions. */
function withInherited(document: JsonObject, notes: readonly Note[], work: Work): JsonObject {
  const added = notes.filter(
    (note) => note.kind === "extends" && isBaseReference(note.base),
  ) as ExtendsNote[];
  if (added.length === 0) return document;
  const definitions = { ...(document["$defs"] as JsonObject) };
  for (const note of added) {
    const base = referredDefinition(note.base, note.pointer, inNotes(work));
    work.seen.add(base);
    for (const target of note.targets) {
      const [holder, name, ...inside] = pointerTokens(target);
      const definition = name === undefined ? undefined : definitions[name];
      if (holder !== "$defs" || inside.length > 0 || !isJsonObject(definition)) {
        work.problems.push({ code: "MG1202", note, target, message: "the schema has no such definition" });
        continue;
      }
      definitions[name!] = inheriting(definition, definitionReference(work.names.keyOf(base)));
    }
  }
  return withDefinitions(document, Object.entries(definitions));
}

function inheriting(definition: JsonObject, reference: string): JsonObject {
  const { allOf, description, ...rest } = definition;
  const parts = Array.isArray(allOf) ? allOf : [];
  const own = Object.keys(rest).length > 0 ? [jsonObject(Object.entries(rest))] : [];
  return jsonObject(
    Object.entries({
      allOf: [{ $ref: reference }, ...parts, ...own],
      ...(description !== undefined && { description }),
    }),
  );
}

/** A note as a correction of the schema, with references to the base replaced. */
function corrected(note: Note, work: Work): Note[] {
  if (note.kind === "carries") return carried(note, work);
  if (note.kind === "extends" && isBaseReference(note.base)) return [];
  if (note.kind !== "errata" || note.becomes === undefined) return [note];
  const at = pointer(note.pointer, "becomes");
  return [
    { ...note, becomes: withoutBaseReferences(note.becomes, { ...work, referring: inNotes(work) }, at) },
  ];
}

/** A note about a place that contains a method's result becomes a reference to that result's definition. */
function carried(note: CarriesNote, work: Work): Note[] {
  const { base, names, seen, problems } = work;
  const ofBase = base.methods.find(({ name }) => name === note.of)?.result?.definition;
  if (ofBase !== undefined) seen.add(ofBase);
  const result = ofBase === undefined ? ownResult(note.of, work.source.document) : names.keyOf(ofBase);
  if (result === undefined) {
    const message = `neither the extension nor the base ${base.revision} has a request ${JSON.stringify(note.of)} with a result`;
    problems.push({ code: "MG1202", note, target: note.targets[0]!, message });
    return [];
  }
  const { of: _, kind: _kind, ...rest } = note;
  return [{ ...rest, kind: "errata", becomes: { $ref: definitionReference(result) } }];
}

/** The name of the result definition of an extension's method. */
function ownResult(method: string, document: JsonObject): string | undefined {
  const definitions = document["$defs"] as JsonObject;
  const message = Object.keys(definitions).find((name) =>
    [`/$defs/${name}`, `/$defs/${name}/allOf/0`, `/$defs/${name}/allOf/1`].some(
      (place) => atPointer(document, `${place}/properties/method/const`) === method,
    ),
  );
  const result = message?.replace(/Request$/, "Result");
  return result !== undefined && Object.hasOwn(definitions, result) ? result : undefined;
}

function inNotes({ source, base }: Work): Parameters<typeof referredDefinition>[2] {
  return {
    base: base.revision,
    schema: base.schema,
    placeOf: (at) => ({ file: source.notesFile ?? source.schemaFile.file, pointer: at }),
  };
}

/** A note with the names that base definitions have in the extension's schema. */
function inNames(note: Note, imported: ReadonlyMap<string, string>): Note {
  if (note.kind !== "pairing" && note.kind !== "channel") return note;
  const key = (reference: string): string => {
    const name = definitionNamed(reference);
    return name === undefined ? reference : ([...imported].find(([, one]) => one === name)?.[0] ?? reference);
  };
  if (note.kind === "channel") {
    const { message, result } = note;
    return {
      ...note,
      ...(message !== undefined && { message: key(message) }),
      ...(result !== undefined && { result: key(result) }),
    };
  }
  return withNames(note, key);
}

function refuseProblems(problems: readonly NoteProblem[], source: ExtensionSource, base: string): void {
  const [first] = problems;
  if (first === undefined) return;
  const rest = problems.length > 1 ? ` (and ${problems.length - 1} more notes have problems)` : "";
  throw new CodedError(
    first.code,
    `note of kind ${first.note.kind} on ${first.target}, over the base ${base}: ${first.message}${rest}`,
    {
      place: { file: source.notesFile ?? source.schemaFile.file, pointer: first.note.pointer },
      next:
        source.about.bases.length > 1
          ? 'Correct the note, remove it, or limit it to the other bases with "bases".'
          : "Correct the note, or remove it.",
    },
  );
}

function refuseFaults(faults: readonly ChannelFault[], { aboutFile }: ExtensionSource, base: string): void {
  const [first] = faults;
  if (first === undefined) return;
  const { pointer: at, message, next } = first;
  const place = { file: aboutFile, pointer: at };
  throw new CodedError("MG1312", `over the base ${base}: ${message}`, { place, next });
}

/**
 * Changes places that contain a result of the base, so that members which the runtime fills in, such as
 * `resultType`, are not required there. Such results are not sent as messages, and the texts of extensions
 * show them without these members.
 *
 * @param places pointers of the nodes that refer to the result's definition
 * @param owned the members that the era fills in, by definition
 */
function withCarriedResults(
  schema: Schema,
  places: ReadonlySet<string>,
  owned: (definition: string) => ReadonlySet<string> | undefined,
): Schema {
  const change = (node: SchemaNode): SchemaNode => {
    const result = places.has(node.pointer) ? carriedResult(node, schema, owned) : undefined;
    return result ?? withChildren(node, change);
  };
  const definitions = [...schema.definitions].map(
    ([name, definition]) => [name, { ...definition, node: change(definition.node) }] as const,
  );
  return places.size === 0 ? schema : { ...schema, definitions: new Map(definitions) };
}

/** Returns `undefined` if the result requires no member that the era fills in. */
function carriedResult(
  { pointer, ref }: SchemaNode,
  { definitions }: Schema,
  owned: (definition: string) => ReadonlySet<string> | undefined,
): SchemaNode | undefined {
  const result = ref === undefined ? undefined : definitions.get(ref)?.node;
  const required = result?.required?.filter((name) => !owned(ref!)?.has(name));
  if (!result || required!.length === result.required!.length) return undefined;
  // Results are open through inheritance, which a copy loses.
  const additionalProperties = result.additionalProperties ?? { pointer, always: true };
  return { ...result, pointer, required: required!, additionalProperties };
}

/**
 * Removes members that the era fills in from definitions used on the channel, because peers there do not fill
 * them in. If client and server use a definition as well, the channel gets a copy.
 */
function withChannelDefinitions(model: ExtensionModel): ExtensionModel {
  const { channel, schema, imported } = model;
  if (!channel || model.owned.size === 0) return model;
  const travelling = channel.messages.map(({ method }) => method);
  const authored = authoredSchema({ ...model, methods: travelling });
  const elsewhere = reachable(schema, namedBeside(model));
  const keys = new Map(
    [...reachable(schema, definitionsOf(travelling))]
      .filter((name) => authored.changed.has(name))
      .map((name) => [name, elsewhere.has(name) ? freeName(name, schema.definitions) : name]),
  );
  if (keys.size === 0) return model;
  const keyOf = (name: string): string => keys.get(name) ?? name;
  const definitions = new Map(schema.definitions);
  for (const [name, key] of keys) {
    const { extends: _extends, ...definition } = authored.schema.definitions.get(name)!;
    definitions.set(key, { ...definition, name: key, node: withReferenceNames(definition.node, keyOf) });
  }
  const own = new Set(keys.values());
  return {
    ...model,
    schema: { ...schema, definitions },
    imported: new Map([...imported].filter(([key]) => !own.has(key))),
    owned: new Map([...model.owned].filter(([key]) => !own.has(key))),
    channel: {
      ...channel,
      messages: channel.messages.map((message) => ({
        ...message,
        method: renamed(message.method, keyOf, authored.lenient),
      })),
    },
  };
}

function definitionsOf(methods: readonly Method[]): string[] {
  return methods.flatMap((method) => [method.message, ...answersOf(method)]);
}

/** The definitions in use between client and server. */
function namedBeside({ methods, declared, augments, members }: ExtensionModel): string[] {
  return [
    ...definitionsOf(methods),
    ...Object.values(declared).flatMap(({ settings }) => settings ?? []),
    ...augments.map(({ result }) => result.definition),
    ...members.map(({ definition }) => definition),
  ];
}

function freeName(name: string, taken: ReadonlyMap<string, Definition>): string {
  let free = `${name} on channel`;
  while (taken.has(free)) free += " ";
  return free;
}

/** @param lenient definitions of params that may be omitted */
function renamed(method: Method, keyOf: (name: string) => string, lenient: ReadonlySet<string>): Method {
  const { params, ...named } = withDefinitionNames(method, keyOf);
  const isLenient = method.params.definition !== undefined && lenient.has(method.params.definition);
  return { ...named, params: { ...params, presence: isLenient ? "optional" : params.presence } };
}
