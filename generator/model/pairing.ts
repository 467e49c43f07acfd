import {
  type Definition,
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  hasMember,
  memberNodes,
  conjuncts,
  constantMember,
  requiredMembers,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { Message } from "./messages.js";
import type { Alternative, Assumption, Discriminator, ResultOf } from "./model.js";
import { type PairedAlternative, type PairingNote, alternativesOf } from "../notes/note.js";

/** The results of a request, before discriminators are determined. */
interface Pairing {
  readonly result?: string;
  readonly alternatives: readonly string[];
  /** Set if the schema lists all results, so that there are no others. */
  readonly listed?: true;
  /** The assumption by which the results were found. */
  readonly assumed?: string;
}

interface Paired {
  readonly result: ResultOf;
  /** Whether the same results would be found without the note. */
  readonly redundant: boolean;
  /** The conflict between note and schema: a description, and the fields of a note that agrees. */
  readonly conflict?: { readonly message: string; readonly fields: JsonObject };
  /** Describes two alternatives in the note that nothing distinguishes. */
  readonly clash?: string;
}

/** The results of `message`: from the note, else from the schema, else assumed and reported. */
export function pair(
  schema: Schema,
  message: Message,
  note: PairingNote | undefined,
  assumptions: Assumption[],
): Paired {
  const derived = derivePairing(schema, message.definition.name);
  // A note without `alternatives` leaves those of the schema.
  const named = note && alternativesOf({ ...note, alternatives: note.alternatives ?? derived.alternatives });
  const pairing: Pairing = named
    ? { result: note!.result, alternatives: named.map(({ definition }) => definition) }
    : derived;
  if (pairing.assumed !== undefined) {
    assumptions.push({ kind: "pairing", subject: message.method, text: pairing.assumed });
  }
  const said: readonly PairedAlternative[] =
    named ?? derived.alternatives.map((definition) => ({ definition }));
  const alternatives = said.map(({ definition, mark, capability }): Alternative => ({
    definition,
    ...(mark ? markOf(mark) : discriminate(schema, pairing.result, definition, assumptions)),
    ...(capability !== undefined && { capability }),
  }));
  const conflict = note && conflictOf(schema, note.result, said, derived);
  const clash = note && clashOf(alternatives);
  return {
    result: { ...(pairing.result !== undefined && { definition: pairing.result }), alternatives },
    redundant:
      said.every(({ mark, capability }) => mark === undefined && capability === undefined) &&
      derived.assumed === undefined &&
      same(pairing, derived),
    ...(conflict && { conflict }),
    ...(clash !== undefined && { clash }),
  };
}

function markOf(mark: NonNullable<PairedAlternative["mark"]>): { readonly discriminator: Discriminator } {
  const [[key, value]] = Object.entries(mark) as [[string, string]];
  return { discriminator: { key, value } };
}

/**
 * The conflict of a note that omits results in the schema, adds some to a complete list, or gives
 * discriminators that results never have.
 */
function conflictOf(
  schema: Schema,
  result: string,
  said: readonly PairedAlternative[],
  derived: Pairing,
): Paired["conflict"] {
  if (derived.result === undefined || (derived.assumed !== undefined && !derived.listed)) return undefined;
  const named = [result, ...said.map(({ definition }) => definition)];
  const listed = [derived.result, ...derived.alternatives];
  const hidden = listed.filter((name) => !named.includes(name));
  const stray = derived.listed ? named.filter((name) => !listed.includes(name)) : [];
  const others = said.filter((one) => !stray.includes(one.definition) && !mayBear(schema, one));
  if (hidden.length + stray.length + others.length === 0) return undefined;
  const parts = [
    ...(hidden.length > 0 ? [`the schema has ${hidden.join(", ")}, which the note leaves out`] : []),
    ...(stray.length > 0 ? [`the schema does not list ${stray.join(", ")}`] : []),
    ...others.map(({ definition, mark }) => `${definition} is never marked by ${JSON.stringify(mark)}`),
  ];
  const plain = listed.includes(result) ? result : derived.result;
  const kept = said
    .filter(({ definition }) => definition !== plain && !stray.includes(definition))
    .map((one): PairedAlternative => {
      const { mark: _, ...unmarked } = one;
      // The schema has the discriminator of those.
      return others.includes(one) ? unmarked : one;
    });
  const added = hidden.filter((name) => name !== plain);
  return {
    message: `among what answers it, ${parts.join(", and ")}`,
    fields: { result: plain, alternatives: [...kept.map(written), ...added] },
  };
}

/** Whether an alternative can have the discriminator that a note gives it. */
function mayBear(schema: Schema, { definition, mark }: PairedAlternative): boolean {
  const node = schema.definitions.get(definition)?.node;
  const members = Object.entries(mark ?? {});
  return (
    !node ||
    members.every(([key, value]) =>
      memberNodes(schema, node, key).every((child) => isValid(schema, child, value)),
    )
  );
}

/** An alternative in the form of a note. */
function written({ definition, mark, capability }: PairedAlternative): JsonValue {
  if (!mark && capability === undefined) return definition;
  return { definition, ...(mark && { mark }), ...(capability !== undefined && { capability }) };
}

/** Describes alternatives with the same discriminator, of which only the first would ever be recognised. */
function clashOf(alternatives: readonly Alternative[]): string | undefined {
  const owners = new Map<string, string>();
  for (const { definition, discriminator } of alternatives) {
    if (!discriminator) continue;
    const mark = JSON.stringify([discriminator.key, discriminator.value]);
    const other = owners.get(mark);
    if (other !== undefined) return `${other} and ${definition} have the same mark`;
    owners.set(mark, definition);
  }
  return undefined;
}

function same(a: Pairing, b: Pairing): boolean {
  return (
    a.result === b.result && [...a.alternatives].sort().join("\0") === [...b.alternatives].sort().join("\0")
  );
}

function derivePairing(schema: Schema, message: string): Pairing {
  const base = message.endsWith("Request") ? message.slice(0, -"Request".length) : message;
  return (
    fromResponse(schema, base) ??
    named(schema, `${base}Result`) ??
    fallback(schema, base) ?? {
      alternatives: [],
      assumed: "The schema defines no result that could answer it.",
    }
  );
}

function named(schema: Schema, result: string): Pairing | undefined {
  return schema.definitions.has(result) ? { result, alternatives: [] } : undefined;
}

/**
 * The definition of the complete response to a request, if the schema has one: `XResultResponse` (or
 * `XResponse`).
 */
export function responseOf(schema: Schema, message: string): Definition | undefined {
  const base = message.endsWith("Request") ? message.slice(0, -"Request".length) : message;
  return [`${base}ResultResponse`, `${base}Response`]
    .map((name) => schema.definitions.get(name))
    .find(
      (definition) =>
        definition && ["result", "jsonrpc"].some((key) => hasMember(schema, definition.node, key)),
    );
}

/**
 * The results in `XResultResponse` (or `XResponse`): its `result` is the plain result, or a union with
 * alternatives.
 */
function fromResponse(schema: Schema, base: string): Pairing | undefined {
  const response = responseOf(schema, base);
  if (!response) return undefined;
  const arms = resultArms(schema, response, `${base}Result`);
  const plain = arms.includes(`${base}Result`) ? `${base}Result` : arms[0];
  if (plain === undefined) return undefined;
  const alternatives = arms.filter((arm) => arm !== plain);
  const sure = alternatives.length === 0 || plain === `${base}Result`;
  return {
    result: plain,
    alternatives,
    listed: true,
    ...(!sure && {
      assumed: `${plain} is taken for its plain result, the first of those in ${response.name}.`,
    }),
  };
}

/**
 * @param plain the plain result; if it is a union, its arms are not separated, but those of other unions are
 */
function resultArms(schema: Schema, response: Definition, plain: string): string[] {
  const arms = new Set<string>();
  const seen = new Set(memberNodes(schema, response.node, "result"));
  // Iterating over a Set includes elements added during the loop.
  for (const { ref, anyOf, oneOf } of seen) {
    const union = ref === undefined || ref === plain ? undefined : schema.definitions.get(ref)?.node;
    const isUnion =
      union !== undefined && (union.anyOf ?? union.oneOf)?.every((arm) => arm.ref !== undefined);
    if (isUnion) seen.add(union);
    else if (ref !== undefined) arms.add(ref);
    for (const arm of [...(anyOf ?? []), ...(oneOf ?? [])]) seen.add(arm);
  }
  return [...arms];
}

function fallback(schema: Schema, base: string): Pairing | undefined {
  const result = ["EmptyResult", "Result"].find((name) => schema.definitions.has(name));
  if (result === undefined) return undefined;
  return {
    result,
    alternatives: [],
    assumed: `It is taken to be answered by ${result}; there is neither ${base}ResultResponse nor ${base}Result.`,
  };
}

/**
 * Finds the member that distinguishes `alternative` from the plain result. A guess from names is reported.
 */
export function discriminate(
  schema: Schema,
  plain: string | undefined,
  alternative: string,
  assumptions: Assumption[],
): { discriminator?: Discriminator } {
  const node = schema.definitions.get(alternative)?.node;
  if (!node) return {};
  const plainNode: SchemaNode = schema.definitions.get(plain ?? "")?.node ?? { pointer: "" };
  const certain = certainMark(schema, plainNode, node);
  if (certain) return { discriminator: certain };
  const assumed = byName(schema, alternative, node);
  const text = assumed
    ? `${alternative} is taken to be marked by ${assumed.key} being ${JSON.stringify(assumed.value)}, after its name.`
    : `Nothing in the schema distinguishes ${alternative} from ${plain ?? "any other result"}.`;
  assumptions.push({ kind: "alternative", subject: alternative, text });
  return assumed ? { discriminator: assumed } : {};
}

/** The member that every value of `node` has and no value of `plain` has, as far as the schema decides it. */
export function certainMark(schema: Schema, plain: SchemaNode, node: SchemaNode): Discriminator | undefined {
  return byConstant(schema, plain, node) ?? byPresence(schema, plain, node);
}

/**
 * A required member with a constant, which the plain result need not have; preferably one with another
 * constant there. A constant also distinguishes it from an unrestricted string (`resultType`).
 */
function byConstant(schema: Schema, plain: SchemaNode, node: SchemaNode): Discriminator | undefined {
  const marks = [...requiredMembers(schema, node)].flatMap((key) => {
    const value = constantMember(schema, node, key);
    const other = constantMember(schema, plain, key);
    const isShared = value !== undefined && value !== other && hasMember(schema, plain, key);
    return isShared ? [{ mark: { key, value }, isSure: other !== undefined }] : [];
  });
  return (marks.find(({ isSure }) => isSure) ?? marks[0])?.mark;
}

/** A required member that the plain result lacks. */
function byPresence(schema: Schema, plain: SchemaNode, node: SchemaNode): Discriminator | undefined {
  for (const key of requiredMembers(schema, node)) {
    if (hasMember(schema, plain, key)) continue;
    const value = constantMember(schema, node, key);
    return value === undefined ? { key } : { key, value };
  }
  return undefined;
}

/** A required string that names the kind of result: `input_required` for `InputRequiredResult`. */
function byName(schema: Schema, name: string, node: SchemaNode): Discriminator | undefined {
  const key = [...requiredMembers(schema, node)].find((member) =>
    memberNodes(schema, node, member).some((child) =>
      conjuncts(schema, child).some(
        ({ types, enum: values }) => types?.[0] === "string" && types.length === 1 && !values,
      ),
    ),
  );
  if (key === undefined) return undefined;
  const words = name.replace(/Result$/, "").match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g);
  return words ? { key, value: words.join("_").toLowerCase() } : undefined;
}
