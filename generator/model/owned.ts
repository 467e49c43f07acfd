import {
  type Schema,
  type SchemaNode,
  pointerTokens,
  memberNames,
  memberNodes,
  requiredMembers,
  constantMember,
  hasMember,
} from "@mcpgen/engine";
import type { NoteProblem } from "../notes/apply.js";
import type { OwnedNote } from "../notes/note.js";
import type { Message } from "./messages.js";
import { type ResultOf, answersOf } from "./model.js";
import { responseOf } from "./pairing.js";

/** The definitions in places where the era fills in members, whatever they extend. */
interface Places {
  /** Results of methods, including unions and their arms. */
  readonly answers: ReadonlySet<string>;
  /** Params of requests and notifications. */
  readonly params: ReadonlySet<string>;
  /** The definition of the result that every response contains, if the schema has one. */
  readonly anyAnswer?: string;
  /** Properties that distinguish results of a method, by definition. Authors write them. */
  readonly marks: ReadonlyMap<string, ReadonlySet<string>>;
}

/** For extensions, which state themselves what their definitions extend. */
export const nowhere: Places = { answers: new Set(), params: new Set(), marks: new Map() };

/**
 * The properties that the era owns, by definition: those that notes name, and the same properties in
 * definitions that extend these. In a place that the era fills in, it is enough that a definition repeats the
 * one in the note, or that it is a result and the note names the common result definition.
 *
 * @param from.known properties known before
 */
export function findOwned(
  schema: Schema,
  notes: readonly OwnedNote[],
  problems: NoteProblem[],
  { places, known }: { readonly places: Places; readonly known: ReadonlyMap<string, ReadonlySet<string>> },
): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map([...known].map(([name, properties]) => [name, new Set(properties)]));
  for (const note of notes) {
    for (const target of note.targets) {
      const place = propertyAt(schema, target);
      if (!place)
        problems.push({
          code: "MG1202",
          note,
          target,
          message: "the schema has no such property of a definition",
        });
      else named.set(place.definition, (named.get(place.definition) ?? new Set()).add(place.property));
    }
  }
  const owned = new Map<string, ReadonlySet<string>>();
  for (const { name, node } of named.size === 0 ? [] : schema.definitions.values()) {
    const bases = [name, ...basesOf(schema, name), ...basesByPlace(schema, name, [...named.keys()], places)];
    const inherited = new Set(bases.flatMap((base) => [...(named.get(base) ?? [])]));
    const parts = partsOf(node);
    const marks = places.marks.get(name);
    const properties = [...inherited].filter(
      (property) => !marks?.has(property) && parts.some((part) => part.properties?.has(property)),
    );
    if (properties.length > 0) owned.set(name, new Set(properties));
  }
  return owned;
}

/** The definitions in notes whose owned members a definition has because of its place. */
function basesByPlace(
  schema: Schema,
  name: string,
  named: readonly string[],
  { answers, params, anyAnswer }: Places,
): string[] {
  if (!answers.has(name) && !params.has(name)) return [];
  const { node } = schema.definitions.get(name)!;
  const members = new Set(memberNames(schema, node));
  const required = requiredMembers(schema, node);
  return named.filter((base) => {
    if (base === anyAnswer && answers.has(name)) return true;
    const inner = schema.definitions.get(base)!.node;
    return (
      memberNames(schema, inner).every((member) => members.has(member)) &&
      [...requiredMembers(schema, inner)].every((member) => required.has(member))
    );
  });
}

/** The schemas of the object itself inside a definition: its own, and those of its parts and arms. */
export function partsOf(node: SchemaNode): SchemaNode[] {
  const inside = [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return [node, ...inside.flatMap(partsOf)];
}

/** The definitions used as results and params of `methods`. */
export function placesOf(
  schema: Schema,
  methods: readonly { readonly message: Message; readonly result: ResultOf | undefined }[],
): Places {
  const marks = new Map<string, Set<string>>();
  const mark = (name: string, key: string): void =>
    void marks.set(name, (marks.get(name) ?? new Set()).add(key));
  const answers = new Set<string>();
  for (const { result } of methods) {
    for (const name of result ? answersOf({ result }) : []) answers.add(name);
    for (const { definition, discriminator } of result?.alternatives ?? []) {
      const { node } = schema.definitions.get(definition)!;
      const { key, value } = discriminator ?? {};
      if (key !== undefined && value !== undefined && constantMember(schema, node, key) === value)
        mark(definition, key);
    }
  }
  // Iterating over a Set includes elements added during the loop.
  for (const name of answers) {
    const arms = armsOf(schema, name);
    for (const arm of arms) answers.add(arm);
    for (const key of distinguishing(schema, arms)) for (const arm of arms) mark(arm, key);
  }
  const specific = new Set(methods.map(({ message }) => responseOf(schema, message.definition.name)?.name));
  const anyAnswer = [...schema.definitions.values()]
    .filter(({ name, node }) => hasMember(schema, node, "jsonrpc") && !specific.has(name))
    .flatMap(({ node }) => memberNodes(schema, node, "result"))
    .find(({ ref }) => ref !== undefined)?.ref;
  return {
    answers,
    params: new Set(methods.flatMap(({ message }) => message.params.definition ?? [])),
    ...(anyAnswer !== undefined && { anyAnswer }),
    marks,
  };
}

/** A definition, and all definitions that it is a union of or an alias for. */
export function withArms(schema: Schema, name: string): readonly string[] {
  const names = new Set([name]);
  // Iterating over a Set includes elements added during the loop.
  for (const each of names) for (const arm of armsOf(schema, each)) names.add(arm);
  return [...names];
}

/** The definitions that a union consists of, or the target of an alias. */
function armsOf(schema: Schema, name: string): string[] {
  const node = schema.definitions.get(name)?.node;
  return [node, ...(node?.anyOf ?? []), ...(node?.oneOf ?? [])].flatMap((part) => part?.ref ?? []);
}

/** The members that have a different constant in each arm. */
function distinguishing(schema: Schema, arms: readonly string[]): string[] {
  const nodes = arms.flatMap((arm) => schema.definitions.get(arm)?.node ?? []);
  const members = new Set(nodes.flatMap((node) => memberNames(schema, node)));
  return [...members].filter((key) => {
    const constants = new Set(nodes.map((node) => constantMember(schema, node, key)));
    constants.delete(undefined);
    return constants.size > 1;
  });
}

/** `/$defs/Result/properties/resultType` → that property of that definition, if the schema has it. */
export function propertyAt(
  schema: Schema,
  target: string,
): { readonly definition: string; readonly property: string } | undefined {
  const [keyword, definition, properties, property, ...rest] = pointerTokens(target);
  if (keyword !== "$defs" || properties !== "properties" || rest.length > 0) return undefined;
  if (definition === undefined || property === undefined) return undefined;
  const known = schema.definitions.get(definition)?.node.properties?.has(property);
  return known ? { definition, property } : undefined;
}

/** All definitions that `name` extends or combines with members, directly or not. */
function basesOf(schema: Schema, name: string): Set<string> {
  const bases = new Set<string>();
  const of = (one: string): string[] => {
    const { extends: extended = [], node } = schema.definitions.get(one) ?? {};
    const combined = (node?.allOf ?? []).map(({ ref }) => ref).filter((ref) => ref !== undefined);
    return [...extended, ...combined];
  };
  const pending = of(name);
  while (pending.length > 0) {
    const base = pending.pop()!;
    if (bases.has(base)) continue;
    bases.add(base);
    pending.push(...of(base));
  }
  return bases;
}
