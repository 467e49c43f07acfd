import {
  type Definition,
  type Schema,
  type SchemaNode,
  escapeToken,
  pointer,
  pointerTokens,
  hasMember,
  memberNames,
  memberNodes,
} from "@mcpgen/engine";
import { type NoteConflict, type Note, type SubscriptionNote, alternativesOf } from "../notes/note.js";
import { mayHave } from "./notes-by-method.js";
import { type Method, type ProtocolModel, type Role, receivers } from "./model.js";
import { propertyAt, withArms } from "./owned.js";

/** Conflicts between notes and the schema, besides those found while methods are read. */
export function findConflicts(
  model: Pick<ProtocolModel, "schema" | "methods" | "owned">,
  notes: readonly Note[],
): NoteConflict[] {
  const { schema, methods } = model;
  const named = notes.flatMap((note) => namedCapabilities(note, methods));
  const filters = notes.filter((note) => note.kind === "subscription");
  const cacheable = notes.find((note) => note.kind === "cacheable");
  return [
    ...(["client", "server"] as const).flatMap((side) =>
      capabilityConflicts(
        schema,
        named.filter(({ of }) => of === side),
      ),
    ),
    ...filterConflicts(schema, filters),
    ...(cacheable ? cacheConflicts(model, cacheable) : []),
  ];
}

/** A capability in a note, with its members that enable parts of a method. */
interface NamedCapability {
  readonly note: Note;
  readonly target: string;
  readonly of: Role;
  readonly path: string;
  readonly parts?: readonly string[];
}

function namedCapabilities(note: Note, methods: readonly Method[]): NamedCapability[] {
  const target = note.targets[0]!;
  if (note.kind === "capability" || note.kind === "requires") {
    const { of, capability: path } = note;
    const parts = note.kind === "capability" ? note.parts : undefined;
    return path === undefined ? [] : [{ note, target, of, path, ...(parts && { parts }) }];
  }
  if (note.kind !== "pairing") return [];
  const method = methods.find(({ name }) => name === target);
  const paths = (alternativesOf(note) ?? []).flatMap(({ capability }) => capability ?? []);
  return (method ? receivers(method) : []).flatMap((of) =>
    [...new Set(paths)].map((path) => ({ note, target, of, path })),
  );
}

/**
 * Capabilities in notes that the schema lacks, and members of a capability that the notes do not list as
 * parts.
 */
function capabilityConflicts(schema: Schema, named: readonly NamedCapability[]): NoteConflict[] {
  const roots = capabilityRoots(schema, named);
  if (roots.length === 0) return [];
  return named.flatMap(({ note, target, of, path, parts }): NoteConflict[] => {
    const tokens = pointerTokens(path);
    const holders = roots.filter(({ node }) => mayHave(schema, node, tokens));
    if (holders.length === 0) {
      const [{ name, node }] = roots as [Definition];
      const known = memberNames(schema, node).join(", ");
      return [{ note, target, message: `the schema has no capability ${path}: ${name} has ${known}` }];
    }
    if (!parts) return [];
    const places = holders.flatMap(({ node }) => placesAt(schema, node, tokens));
    const members = [...new Set(places.flatMap((place) => memberNames(schema, place)))];
    const isSame = members.length === parts.length && members.every((name) => parts.includes(name));
    if (members.length === 0 || isSame) return [];
    const message = `the capability ${path} has the members ${members.join(", ")}, and the note has the parts ${parts.join(", ")}`;
    return [{ note, target, message, fields: { of, capability: path, parts: members } }];
  });
}

function placesAt(schema: Schema, node: SchemaNode, tokens: readonly string[]): readonly SchemaNode[] {
  return tokens.reduce<readonly SchemaNode[]>(
    (nodes, token) => nodes.flatMap((each) => memberNodes(schema, each, token)),
    [node],
  );
}

/**
 * The definitions of a side's capabilities: those that contain most of the capabilities in notes, and at
 * least two.
 */
function capabilityRoots(schema: Schema, named: readonly NamedCapability[]): Definition[] {
  const names = [...new Set(named.map(({ path }) => pointerTokens(path)[0]!))];
  const counted = [...schema.definitions.values()].map((definition) => ({
    definition,
    count: names.filter((name) => hasMember(schema, definition.node, name)).length,
  }));
  const most = Math.max(2, ...counted.map(({ count }) => count));
  return counted.filter(({ count }) => count === most).map(({ definition }) => definition);
}

/** Members of a filter without a note: a subscription to them would select nothing. */
function filterConflicts(schema: Schema, notes: readonly SubscriptionNote[]): NoteConflict[] {
  const places = notes.flatMap((note) => propertyAt(schema, note.filter) ?? []);
  return [...new Set(places.map(({ definition }) => definition))].flatMap((definition) => {
    const known = new Set(
      places.filter((place) => place.definition === definition).map(({ property }) => property),
    );
    const hidden = memberNames(schema, schema.definitions.get(definition)!.node).filter(
      (name) => !known.has(name),
    );
    const note = notes.find(({ filter }) => propertyAt(schema, filter)?.definition === definition)!;
    return hidden.map((name) => {
      const filter = pointer(`/$defs/${escapeToken(definition)}/properties`, name);
      const message = "no note says which notification the member of the filter selects";
      const fields = { target: "notifications/…", filter };
      return { note, target: filter, message, fields, isUnfinished: true };
    });
  });
}

/** Results with the members of cacheable results, whose methods no note calls cacheable. */
function cacheConflicts(
  { schema, methods, owned }: Pick<ProtocolModel, "schema" | "methods" | "owned">,
  note: Note,
): NoteConflict[] {
  const answered = methods.filter(({ payload, result }) => !payload && result?.definition !== undefined);
  const ownedBy = ({ result }: Method): ReadonlySet<string> =>
    new Set(withArms(schema, result!.definition!).flatMap((name) => [...(owned.get(name) ?? [])]));
  const hints = new Set(
    answered.filter(({ cacheable }) => cacheable).flatMap((method) => [...ownedBy(method)]),
  );
  const special = [...hints].filter((name) => !answered.every((method) => ownedBy(method).has(name)));
  return answered.flatMap((method): NoteConflict[] => {
    const own = special.filter((name) => ownedBy(method).has(name));
    if (method.cacheable || own.length === 0) return [];
    const message = `its result has ${own.join(", ")}, as those of cacheable methods, and no note of the kind names it: nothing fills them in`;
    return [{ note, target: method.name, message, fields: {} }];
  });
}
