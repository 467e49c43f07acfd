import type { Schema, SchemaNode } from "@mcpgen/engine";
import { constantMember, hasMember } from "../../model/object-view.js";
import type { Aligner } from "../align/aligner.js";
import type { Form } from "../shape/form.js";
import type { FormReader } from "../shape/form-reader.js";
import type { Root } from "./root.js";

/** What methods account for, and what no method does: the rest of a message. */
const ofMethods: ReadonlySet<string> = new Set(["method", "params", "result"]);

/** Where to compare what all messages have in common, if both schemas describe it. */
export function envelopeRoot(aligner: Aligner, old: Schema, next: Schema): Root | undefined {
  const [before, after] = [envelopeOf(aligner.old), envelopeOf(aligner.new)];
  if (before === undefined || after === undefined) return undefined;
  const [a, b] = [old.definitions.get(before)!, next.definitions.get(after)!];
  return {
    pair: aligner.pair([a.node], [b.node]),
    context: { part: "envelope", definition: [before, after] },
    writers: ["client", "server"],
    methods: [],
    isEntered: (key) => !ofMethods.has(key),
  };
}

/** The definition of any message: of those whose arms all are JSON-RPC objects, or arrays of them, the one with most arms. */
export function envelopeOf(reader: FormReader): string | undefined {
  let best: { name: string; arms: number } | undefined;
  for (const { name, node } of reader.schema.definitions.values()) {
    if (!(node.anyOf ?? node.oneOf)?.every((arm) => mayBeEnvelope(reader.schema, arm))) continue;
    const form = reader.of([node]);
    if (!isEnvelope(reader, form)) continue;
    if (!best || form.members.length > best.arms) best = { name, arms: form.members.length };
  }
  return best?.name;
}

/** A cheap look ahead: most unions are not of JSON-RPC objects, or list the messages of methods. */
function mayBeEnvelope(schema: Schema, arm: SchemaNode): boolean {
  const node = arm.ref === undefined ? arm : schema.definitions.get(arm.ref)!.node;
  if (node.items ?? node.anyOf ?? node.oneOf) return true;
  return hasMember(schema, node, "jsonrpc") && constantMember(schema, node, "method") === undefined;
}

function isEnvelope(reader: FormReader, { members, scalars }: Form): boolean {
  return (
    scalars.size === 0 &&
    members.length > 1 &&
    members.every((arm) => {
      if (arm.type === "array") return isBatch(reader.of(arm.items));
      const version = arm.properties.get("jsonrpc");
      return (
        version?.required &&
        arm.nodes.every((node) => constantMember(reader.schema, node, "method") === undefined)
      );
    })
  );
}

function isBatch({ members, scalars }: Form): boolean {
  return (
    scalars.size === 0 && members.length > 0 && members.every(({ properties }) => properties.has("jsonrpc"))
  );
}
