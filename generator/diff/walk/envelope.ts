import type { Schema, SchemaNode } from "@mcpgen/engine";
import { type ProtocolModel, type Role, opposite } from "../../model/model.js";
import { kindByName } from "../../model/messages.js";
import { constantMember, hasMember } from "../../model/object-view.js";
import type { Aligner } from "../../compare/align/aligner.js";
import type { Edge } from "../../compare/align/pair.js";
import type { Conjunction, Form, ShapeArm } from "../../compare/shape/form.js";
import { FormReader } from "../../compare/shape/form-reader.js";
import type { Context } from "./context.js";
import type { Root } from "./root.js";

/** Members that methods account for. Every method must also satisfy the envelope's schema of them. */
const ofMethods: ReadonlySet<string> = new Set(["method", "params", "result"]);

/** The root for the part that all messages share, if both schemas describe it. */
export function envelopeRoots(aligner: Aligner, old: ProtocolModel, next: ProtocolModel): Root[] {
  const names = envelopeNames(aligner);
  if (!names) return [];
  const [a, b] = [old.schema.definitions.get(names[0])!, next.schema.definitions.get(names[1])!];
  const pair = aligner.pair([a.node], [b.node]);
  const context: Context = { part: "envelope", definition: names };
  const whole: Root = {
    pair,
    context,
    writers: ["client", "server"],
    methods: [],
    isEntered: (key) => !ofMethods.has(key),
  };
  const inside = (["request", "notification", "response"] as const).map((arm): Root => {
    const nodes = armNodes(old.schema, arm);
    return {
      pair,
      context,
      writers: writersOf([old, next], arm),
      methods: [],
      isEntered: (key, edge) => ofMethods.has(key) && isOf(edge, nodes),
      isReported: (_fact, place) => place !== pair,
      needsProof: true,
    };
  });
  return [whole, ...inside];
}

type Arm = "request" | "notification" | "response";

/** The roles that write messages of this kind in both revisions, with any method. */
function writersOf(models: readonly ProtocolModel[], arm: Arm): Role[] {
  const kind = arm === "response" ? "request" : arm;
  const isWriter = (role: Role, { methods }: ProtocolModel): boolean =>
    methods.some(
      (method) =>
        method.kind === kind &&
        !method.payload &&
        method.senders.includes(arm === "response" ? opposite(role) : role),
    );
  return (["client", "server"] as const).filter((role) => models.every((model) => isWriter(role, model)));
}

function isOf({ old }: Edge, nodes: Conjunction | undefined): boolean {
  return nodes !== undefined && nodes.length === old.length && nodes.every((node) => old.includes(node));
}

/** The definition of any message in both schemas: by the same name, if both have it. */
function envelopeNames(aligner: Aligner): readonly [string, string] | undefined {
  const [before, after] = [envelopeOf(aligner.old), envelopeOf(aligner.new)];
  const found = [before, after]
    .filter((each) => each !== undefined)
    .sort((a, b) => b.arms - a.arms)
    .map(({ name }) => name);
  const isShared = (name: string): boolean =>
    [aligner.old, aligner.new].every(({ schema }) => schema.definitions.has(name));
  // A change may leave one of the two without the looks of an envelope.
  const shared = found.find(isShared);
  if (shared !== undefined) return [shared, shared];
  return before && after ? [before.name, after.name] : undefined;
}

interface Envelope {
  readonly name: string;
  readonly arms: number;
}

/** The definition of any message: of those whose arms all are JSON-RPC objects, or arrays of them, the one with most arms. */
function envelopeOf(reader: FormReader): Envelope | undefined {
  let best: Envelope | undefined;
  for (const { name, node } of reader.schema.definitions.values()) {
    if (!isMostly(node.anyOf ?? node.oneOf ?? [], (arm) => mayBeEnvelope(reader.schema, arm))) continue;
    const form = reader.of([node]);
    if (!isEnvelope(reader, form)) continue;
    if (!best || form.members.length > best.arms) best = { name, arms: form.members.length };
  }
  return best;
}

const known = new WeakMap<Schema, ReadonlyMap<Arm, Conjunction>>();

/** The schema of all requests, of all notifications, or of all responses that carry a result. */
export function armNodes(schema: Schema, arm: Arm): Conjunction | undefined {
  let arms = known.get(schema);
  if (!arms) known.set(schema, (arms = readArms(new FormReader(schema))));
  return arms.get(arm);
}

function readArms(reader: FormReader): ReadonlyMap<Arm, Conjunction> {
  const found = new Map<Arm, Conjunction>();
  const name = envelopeOf(reader)?.name;
  if (name === undefined) return found;
  const withoutId: ShapeArm[] = [];
  for (const member of reader.of([reader.schema.definitions.get(name)!.node]).members) {
    const { type, properties, nodes } = member;
    if (type !== "object") continue;
    const arm = properties.has("result") ? "response" : properties.has("id") ? "request" : undefined;
    if (arm && !found.has(arm) && (arm === "response" || properties.has("method"))) found.set(arm, nodes);
    if (!arm && properties.has("method")) withoutId.push(member);
  }
  // A notification may forbid the id. Beside another notification it is a request that has lost its id.
  const lost =
    withoutId.length > 1
      ? (withoutId.find((member) => kindByName(member.name ?? "") === "request") ??
        withoutId.findLast(({ forbidden }) => forbidden.has("id")))
      : undefined;
  if (lost && !found.has("request")) found.set("request", lost.nodes);
  const notification = withoutId.find((member) => member !== lost);
  if (notification) found.set("notification", notification.nodes);
  return found;
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
    members.every(({ nodes }) =>
      nodes.every((node) => constantMember(reader.schema, node, "method") === undefined),
    ) &&
    isMostly(members, (arm) =>
      arm.type === "array" ? isBatch(reader.of(arm.items)) : arm.properties.get("jsonrpc")?.required === true,
    )
  );
}

/** Whether it holds of more than half: an envelope is one still when a message of it has changed. */
function isMostly<T>(values: readonly T[], holds: (value: T) => boolean): boolean {
  return 2 * values.filter(holds).length > values.length;
}

function isBatch({ members, scalars }: Form): boolean {
  return (
    scalars.size === 0 && members.length > 0 && members.every(({ properties }) => properties.has("jsonrpc"))
  );
}
