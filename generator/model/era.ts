import type { Schema } from "@mcpgen/engine";
import type { Message } from "./messages.js";
import type { Assumption, Era } from "./model.js";
import { memberNodes, requiredMembers } from "./object-view.js";

/** The method that opens the conversation is what the two eras differ in. */
const openings: readonly { readonly method: string; readonly era: Era }[] = [
  { method: "initialize", era: "legacy" },
  { method: "server/discover", era: "modern" },
];

/** The era of a revision, by how a client opens the conversation, else by what its requests carry. */
export function eraOf(
  revision: string,
  schema: Schema,
  messages: readonly Message[],
  assumptions: Assumption[],
): Era {
  const methods = new Set(messages.map(({ method }) => method));
  const eras = openings.filter(({ method }) => methods.has(method)).map(({ era }) => era);
  if (eras.length === 1) return eras[0]!;
  const carrying = messages.find((message) => message.kind === "request" && requiresMeta(schema, message));
  const era: Era = carrying ? "modern" : "legacy";
  const reason = carrying ? `${carrying.method} must carry _meta` : "no request must carry _meta";
  const openers = openings.map(({ method }) => method).join(" and ");
  assumptions.push({
    kind: "era",
    subject: revision,
    text: `Its era is taken to be ${era}, because ${reason}; it has ${eras.length === 0 ? "neither" : "both"} of ${openers}.`,
  });
  return era;
}

/** Whether each request of this method names its sender in `_meta`, as stateless requests do. */
function requiresMeta(schema: Schema, { definition }: Message): boolean {
  return memberNodes(schema, definition.node, "params").some((params) =>
    requiredMembers(schema, params).has("_meta"),
  );
}
