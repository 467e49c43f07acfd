import type { Definition, Schema, SchemaNode } from "@mcpgen/engine";
import type { ComparedExtension, ComparedPart } from "../../extension/add/compared-model.js";
import { diffModels } from "../diff-models.js";
import type { Finding, Policy } from "../finding.js";
import type { Method, ProtocolModel } from "../../model/model.js";
import type { ExtensionSource } from "../../extension/extension-store.js";

/** A version of an extension over each of its bases, keyed by the base's id. */
export type ExtensionOverBases = ReadonlyMap<string, ComparedExtension>;

/** The differences between two versions of an extension. */
export interface ExtensionDifferences {
  /** Each difference once, even if several bases show it; worst first for each base. */
  readonly differences: readonly Finding[];
  /** The bases of both versions, which were compared. */
  readonly compared: readonly string[];
  /** The bases that only one version has. */
  readonly dropped: readonly string[];
  readonly added: readonly string[];
}

/** Compares two versions of an extension over every base that both extend. */
export function diffExtensions(
  old: ExtensionOverBases,
  next: ExtensionOverBases,
  policy: Policy,
): ExtensionDifferences {
  const compared = [...old.keys()].filter((base) => next.has(base));
  const differences = new Map<string, Finding>();
  for (const base of compared) {
    for (const finding of diffModels(wholeModel(old.get(base)!), wholeModel(next.get(base)!), policy))
      if (!differences.has(finding.fingerprint)) differences.set(finding.fingerprint, finding);
  }
  return {
    differences: [...differences.values()],
    compared,
    dropped: [...old.keys()].filter((base) => !next.has(base)),
    added: [...next.keys()].filter((base) => !old.has(base)),
  };
}

/**
 * The model of an extension with everything that it adds to messages of the base. Each addition becomes a
 * notification of the side that sends it, so that it is compared in its direction.
 */
function wholeModel({ model, parts }: ComparedExtension): ProtocolModel {
  const definitions = new Map(model.schema.definitions);
  for (const part of parts) definitions.set(part.name, messageOf(part));
  const schema: Schema = { ...model.schema, definitions };
  const methods = [...model.methods, ...parts.map(methodOf)];
  return { ...model, schema, methods: methods.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function messageOf({ name, definition }: ComparedPart): Definition {
  const pointer = `/$defs/${definition}`;
  const properties = new Map<string, SchemaNode>([
    ["method", { pointer, types: ["string"], const: { value: name } }],
    ["params", { pointer, ref: definition }],
  ]);
  return { name, node: { pointer, types: ["object"], properties, required: ["method", "params"] } };
}

function methodOf({ name, senders, definition }: ComparedPart): Method {
  return {
    ...{ name, kind: "notification", senders, payload: false, message: name, envelope: false },
    params: { definition, presence: "required" },
    ...{ capabilities: [], cacheable: false, multiRoundTrip: false, listening: false },
  };
}

type Source = Pick<ExtensionSource, "about" | "notes">;

/** Describes what a peer on the old version's channel relies on and the next version lacks. */
export function brokenChannel(old: Source, next: Source): string[] {
  const [before, after] = [old.about.channel, next.about.channel];
  if (!before) return [];
  if (!after) return ["the channel is gone"];
  const gone = before.roles.filter((role) => !after.roles.includes(role));
  const { request, confirmation } = before.handshake;
  const isOpened = request === after.handshake.request && confirmation === after.handshake.confirmation;
  const travelling = routesOf(next);
  const lost = [...routesOf(old)]
    .filter(([route, { sender, receiver }]) => {
      return !travelling.has(route) && !gone.includes(sender) && !gone.includes(receiver);
    })
    .map(([, { method, sender, receiver }]) => `${method} no longer travels from ${sender} to ${receiver}`);
  return [
    ...gone.map((role) => `the role ${role} of the channel is gone`),
    ...(isOpened ? [] : ["the channel has another handshake"]),
    ...lost,
  ];
}

interface Route {
  readonly method: string;
  readonly sender: string;
  readonly receiver: string;
}

function routesOf({ notes }: Source): Map<string, Route> {
  return new Map(
    notes.flatMap((note) => {
      if (note.kind !== "channel") return [];
      const { sender, receiver } = note;
      return note.targets.map((method) => [
        JSON.stringify([method, sender, receiver]),
        { method, sender, receiver },
      ]);
    }),
  );
}
