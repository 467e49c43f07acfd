import {
  type JsonObject,
  type JsonValue,
  canonicalise,
  isJsonObject,
  jsonObject,
  readSchema,
} from "@mcpgen/engine";
import { buildModel } from "../../model/build-model.js";
import type { ProtocolModel, Role } from "../../model/model.js";
import { type Note, withNames } from "../../notes/note.js";
import { applyNotes } from "../../notes/apply.js";
import { withPlaces } from "../../revision/schema-source.js";
import { joinedWithBase } from "../canonical/references.js";
import type { ExtensionSource } from "../extension-store.js";
import type { LoadedBase } from "./bases.js";
import { basePrefix, withDefinitions } from "../flatten.js";

/** An extension over a base, in the form in which versions are compared. */
export interface ComparedExtension {
  /** A model with the extension's methods; its schema also contains the base's definitions. */
  readonly model: ProtocolModel;
  /** The parts that the extension adds to messages of the base. */
  readonly parts: readonly ComparedPart[];
}

/** A part of a message: settings, a result of a method of the base, or a member of an object of the base. */
export interface ComparedPart {
  readonly name: string;
  readonly senders: readonly Role[];
  /** The definition of its content. */
  readonly definition: string;
}

/**
 * Reads an extension over one of its bases, for comparison with another version.
 *
 * @throws CodedError MG11xx if the schema cannot be read over the base
 */
export async function comparedExtension(
  source: ExtensionSource,
  base: LoadedBase,
): Promise<ComparedExtension> {
  const notes = source.notes.filter(({ bases }) => bases?.includes(base.revision) ?? true);
  const corrections = notes.filter(({ kind }) => kind === "errata" || kind === "open");
  const { document, nodeRemarks } = applyNotes(source.document, corrections);
  const ofBase = base.document["$defs"] as JsonObject;
  const keyOf = (name: string): string => (Object.hasOwn(ofBase, name) ? `${name} of the extension` : name);
  const joined = joinedWithBase(withInherited(document, notes), base.document, keyOf);
  const remarks = new Map([...nodeRemarks].map(([at, remark]) => [placeOf(at, keyOf), remark]));
  const schema = await withPlaces(source.schemaFile, () =>
    readSchema(canonicalise(joined), { nodeRemarks: (at) => remarks.get(at) }),
  );
  const { revision, status } = base.model;
  const { model } = buildModel({
    revision,
    status,
    schema,
    notes: notes.flatMap((note) => facts(note, keyOf)),
  });
  const own = new Set(Object.keys(document["$defs"] as JsonObject).map(keyOf));
  return {
    model: { ...model, methods: model.methods.filter(({ message }) => own.has(message)) },
    parts: partsOf(source, base.model, notes).map((part) => ({
      ...part,
      definition: keyOf(part.definition),
    })),
  };
}

function placeOf(at: string, keyOf: (name: string) => string): string {
  const [, holder, name, ...inside] = at.split("/");
  return ["", holder!, keyOf(name!), ...inside].join("/");
}

/** The definitions, extended by the bases that notes name for them. */
function withInherited(document: JsonObject, notes: readonly Note[]): JsonObject {
  const definitions = jsonObject(Object.entries(document["$defs"] as JsonObject));
  for (const note of notes) {
    if (note.kind !== "extends" || !note.base.startsWith(`${basePrefix}#`)) continue;
    for (const target of note.targets) {
      const name = target.split("/").at(-1)!;
      const node: JsonValue | undefined = definitions[name];
      if (isJsonObject(node)) definitions[name] = { allOf: [{ $ref: note.base }, node] };
    }
  }
  return withDefinitions(document, Object.entries(definitions));
}

/** A note about methods with the definition names of the joined document; an empty list for other notes. */
function facts(note: Note, keyOf: (name: string) => string): Note[] {
  if (
    note.kind === "sender" ||
    (note.kind === "deprecated" && !note.targets.some((one) => one.startsWith("/")))
  )
    return [note];
  if (note.kind !== "pairing") return [];
  const named = (name: string): string =>
    name.startsWith(`${basePrefix}#`) ? name.split("/").at(-1)! : keyOf(name);
  return [withNames(note, named)];
}

function partsOf({ about }: ExtensionSource, base: ProtocolModel, notes: readonly Note[]): ComparedPart[] {
  const both = ["client", "server"] as const;
  const settings = both.flatMap((side): ComparedPart[] => {
    const definition = about.settings[side];
    return definition === undefined ? [] : [{ name: `settings of the ${side}`, senders: [side], definition }];
  });
  const added = notes.flatMap((note): ComparedPart[] => {
    if (note.kind === "augments")
      return note.targets.map((target) => {
        const asking = base.methods.find(({ name }) => name === target)?.senders ?? ["client"];
        const senders = both.filter((side) => !asking.includes(side));
        return { name: `${note.result} of ${target}`, senders, definition: note.result };
      });
    if (note.kind !== "member") return [];
    // Either side may send objects of the definition.
    return note.targets.map((target) => ({
      name: `${note.member} of ${target}`,
      senders: both,
      definition: note.definition,
    }));
  });
  return [...settings, ...added];
}
