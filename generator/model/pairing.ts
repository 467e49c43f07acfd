import type { Definition, Schema } from "@mcpgen/engine";
import { discriminate } from "./discriminator.js";
import type { Message } from "./messages.js";
import type { Assumption, Discriminator, Method, ResultOf } from "./model.js";
import { hasMember, memberNodes } from "./object-view.js";
import type { PairingNote } from "../notes/note.js";

/** The answers of a request, before discriminators are known. */
interface Pairing {
  readonly result?: string;
  readonly alternatives: readonly string[];
  /** The assumption by which it was found. */
  readonly assumed?: string;
}

interface Paired {
  readonly result: ResultOf;
  /** Whether the same answer would be found without the note. */
  readonly redundant: boolean;
}

/** The answers of `message`: from the note, else from the schema, else assumed and reported. */
export function pair(
  schema: Schema,
  message: Message,
  note: PairingNote | undefined,
  assumptions: Assumption[],
): Paired {
  const derived = derivePairing(schema, message.definition.name);
  const said = note && { result: note.result, alternatives: note.alternatives ?? derived.alternatives };
  const pairing: Pairing = said ?? derived;
  if (pairing.assumed !== undefined) {
    assumptions.push({ kind: "pairing", subject: message.method, text: pairing.assumed });
  }
  const alternatives = pairing.alternatives.map((definition) => ({
    definition,
    ...(note?.alternativeMark
      ? { discriminator: discriminatorOf(note.alternativeMark) }
      : discriminate(schema, pairing.result, definition, assumptions)),
    ...(note?.alternativeCapability !== undefined && { capability: note.alternativeCapability }),
  }));
  return {
    result: { ...(pairing.result !== undefined && { definition: pairing.result }), alternatives },
    redundant:
      note?.alternativeCapability === undefined &&
      note?.alternativeMark === undefined &&
      derived.assumed === undefined &&
      same(pairing, derived),
  };
}

function discriminatorOf(mark: NonNullable<PairingNote["alternativeMark"]>): Discriminator {
  const [[key, value]] = Object.entries(mark) as [[string, string]];
  return { key, value };
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

/** The definition of the whole response to a request, where the schema has one: `XResultResponse` (or `XResponse`). */
export function responseOf(schema: Schema, message: string): Definition | undefined {
  const base = message.endsWith("Request") ? message.slice(0, -"Request".length) : message;
  return [`${base}ResultResponse`, `${base}Response`]
    .map((name) => schema.definitions.get(name))
    .find(
      (definition) =>
        definition && ["result", "jsonrpc"].some((key) => hasMember(schema, definition.node, key)),
    );
}

/** `XResultResponse` (or `XResponse`): its `result` is the plain result, or a choice of it and its alternatives. */
function fromResponse(schema: Schema, base: string): Pairing | undefined {
  const response = responseOf(schema, base);
  if (!response) return undefined;
  const arms = resultArms(schema, response);
  const plain = arms.includes(`${base}Result`) ? `${base}Result` : arms[0];
  if (plain === undefined) return undefined;
  const alternatives = arms.filter((arm) => arm !== plain);
  const sure = alternatives.length === 0 || plain === `${base}Result`;
  return {
    result: plain,
    alternatives,
    ...(!sure && {
      assumed: `${plain} is taken for its plain result, the first of those in ${response.name}.`,
    }),
  };
}

function resultArms(schema: Schema, response: Definition): string[] {
  const members = memberNodes(schema, response.node, "result");
  const arms = members.flatMap((member) => [member, ...(member.anyOf ?? []), ...(member.oneOf ?? [])]);
  return [...new Set(arms.map(({ ref }) => ref).filter((ref) => ref !== undefined))];
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

/** Definitions that may answer a method. */
export function resultsOf({ result }: Method): string[] {
  const plain = result?.definition;
  return [
    ...(plain === undefined ? [] : [plain]),
    ...(result?.alternatives ?? []).map(({ definition }) => definition),
  ];
}
