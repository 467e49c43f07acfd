import { type SchemaNode, type Schema, hasMember, constantMember, groupBy } from "@mcpgen/engine";
import { type Method, type ProtocolModel, type Role, answersOf, opposite } from "../../model/model.js";
import { responseOf } from "../../model/pairing.js";
import type { Fact, Pair, Edge } from "../../compare/align/pair.js";
import type { Conjunction, Form, ShapeArm } from "../../compare/shape/form.js";
import type { Context, Direction, Root } from "./context.js";
import { reachedFrom } from "../../compare/reach.js";
import { kindByName } from "../../model/messages.js";
import type { Aligner } from "../../compare/align/aligner.js";
import { FormReader } from "../../compare/shape/form-reader.js";

/** Members of the envelope that a message's schema may omit. */
const ofEnvelope: readonly string[] = ["jsonrpc", "id"];

/** The schemas of a complete message: its definition and, if that lacks the envelope, the envelope. */
export function messageNodes({ schema }: Pick<ProtocolModel, "schema">, method: Method): Conjunction {
  const { node } = schema.definitions.get(method.message)!;
  if (method.envelope || method.payload) return [node];
  return [node, ...(armNodes(schema, method.kind) ?? [])];
}

/** The schemas of the complete response to a request with a plain result. */
export function responseNodes({ schema }: ProtocolModel, { message }: Method): Conjunction | undefined {
  const own = responseOf(schema, message);
  const any = armNodes(schema, "response");
  if (!own) return any;
  return hasMember(schema, own.node, "jsonrpc") ? [own.node] : [own.node, ...(any ?? [])];
}

/** Compares the messages of a method apart from params, and the responses apart from the result. */
export function compareMessages(direction: Direction, before: Method, after: Method, context: Context): void {
  const { old, next, from, name } = direction;
  // An embedded message has no envelope. The method already reports the change to or from embedding.
  if (before.payload === after.payload) {
    const nodes = [messageNodes(old, before), messageNodes(next, after)] as const;
    const whole = { ...context, whole: true } as Context;
    const root = compareWhole(direction, nodes, whole, ["params", "method"]);
    // A separate envelope constrains params in addition to the message's own schema.
    if (nodes.some((all) => all.length > 1)) reportInside(direction, root, "params");
  }
  if (before.kind !== "request" || before.payload || after.payload) return;
  const own = [responseOf(old.schema, before.message), responseOf(next.schema, after.message)];
  const [a, b] = [responseNodes(old, before), responseNodes(next, after)];
  // Without a separate response definition, the common envelope is compared on its own.
  if (!a || !b || own.every((each) => each === undefined)) return;
  const response: Context = { part: "response", method: name, from: opposite(from) };
  const root = compareWhole(direction, [a, b], response, ["result"]);
  // Results are compared individually. Other changes of a response are reported with the response.
  const isSame = namesOf(before) === namesOf(after);
  if (isSame && own.every((each) => each !== undefined)) reportInside(direction, root, "result");
}

function namesOf(method: Method): string {
  return JSON.stringify(answersOf(method).toSorted());
}

/** @param apart members that are compared separately */
function compareWhole(
  { old, next, aligner, comparison, name, from }: Direction,
  nodes: readonly [Conjunction, Conjunction],
  context: Context,
  apart: readonly string[],
): Root {
  const isDescribed = [old, next].every(({ schema }, side) =>
    nodes[side]!.some((node: SchemaNode) => hasMember(schema, node, "jsonrpc")),
  );
  const left = isDescribed ? apart : [...apart, ...ofEnvelope];
  const pair = aligner.pair(...nodes);
  const root: Root = {
    pair,
    context,
    writers: [context.part === "response" ? opposite(from) : from],
    methods: [name],
    isEntered: (key) => !left.includes(key),
    isReported: (fact, place) => place !== pair || !left.some((key) => isOfMember(fact, key)),
  };
  comparison.roots.push(root);
  return root;
}

/** Reports breaks inside a member that only the complete message shows and no other root reports. */
function reportInside({ comparison }: Direction, whole: Root, member: "params" | "result"): void {
  const { context, pair, methods } = whole;
  let known: ReadonlySet<string> | undefined;
  const readKnown = (): ReadonlySet<string> => {
    const others = comparison.roots.filter(
      (root) => root !== whole && !root.needsProof && root.methods[0] === methods[0],
    );
    return new Set(
      others.flatMap((root) => [...reachedFrom(root).keys()].flatMap((place) => place.facts.map(nameOf))),
    );
  };
  const isKnown = (fact: Fact): boolean => (known ??= readKnown()).has(nameOf(fact));
  const inside = (): Pair | undefined =>
    pair.edges.find(({ step }) => step.kind === "member" && step.key === member)?.child;
  comparison.roots.push({
    ...whole,
    context,
    isEntered: (key) => key === member,
    isReported: (fact, place) =>
      place !== pair && (member === "params" || place === inside()) && !isKnown(fact),
    needsProof: true,
  });
}

function nameOf({ rule, subject }: Fact): string {
  return `${rule} ${JSON.stringify(subject)}`;
}

/** Whether a fact says that a member was added, removed, made required or made optional. */
function isOfMember({ rule, subject, when = "" }: Fact, key: string): boolean {
  if (!rule.startsWith("property-") || !("path" in subject) || subject.path !== key) return false;
  // Params added to or removed from a closed message are rejected; only the complete message shows that.
  return key !== "result" && (key !== "params" || !when.includes("closed"));
}

const knownMethods = new WeakMap<ProtocolModel, ReadonlyMap<string, readonly Method[]>>();

/** The methods of a model by name. A request and a notification may share a name. */
export function methodsByName(model: ProtocolModel): ReadonlyMap<string, readonly Method[]> {
  let methods = knownMethods.get(model);
  if (!methods) knownMethods.set(model, (methods = groupBy(model.methods, ({ name }) => name)));
  return methods;
}

/** Members that are compared per method. Every method must also satisfy the envelope's schema for them. */
const ofMethods: ReadonlySet<string> = new Set(["method", "params", "result"]);

/** The roots for the envelope that all messages share, if both schemas describe it. */
export function envelopeRoots(aligner: Aligner, old: ProtocolModel, next: ProtocolModel): Root[] {
  const names = envelopeNames(aligner);
  if (!names) return [];
  const pair = aligner.pairDefinitions(...names);
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

/** The envelope definition in each schema; if a name exists in both, that one. */
function envelopeNames(aligner: Aligner): readonly [string, string] | undefined {
  const [before, after] = [envelopeOf(aligner.old), envelopeOf(aligner.new)];
  const found = [before, after]
    .filter((each) => each !== undefined)
    .sort((a, b) => b.arms - a.arms)
    .map(({ name }) => name);
  const isShared = (name: string): boolean =>
    [aligner.old, aligner.new].every(({ schema }) => schema.definitions.has(name));
  // A change may make one of the two unrecognisable as an envelope, so a shared name suffices.
  const shared = found.find(isShared);
  if (shared !== undefined) return [shared, shared];
  return before && after ? [before.name, after.name] : undefined;
}

interface Envelope {
  readonly name: string;
  readonly arms: number;
}

/**
 * Finds the envelope, the definition of any message: among unions whose arms are mostly JSON-RPC objects or
 * arrays of them, the one with most arms.
 */
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

const knownArms = new WeakMap<Schema, ReadonlyMap<Arm, Conjunction>>();

/** The schema of all requests, of all notifications, or of all responses with a result. */
function armNodes(schema: Schema, arm: Arm): Conjunction | undefined {
  let arms = knownArms.get(schema);
  if (!arms) knownArms.set(schema, (arms = readArms(new FormReader(schema))));
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
  // A notification may forbid `id`. If two arms lack `id`, one of them is a request that lost it.
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

/** A cheap pre-check: most unions do not consist of JSON-RPC objects, or list the messages of methods. */
function mayBeEnvelope(schema: Schema, arm: SchemaNode): boolean {
  const node = arm.ref === undefined ? arm : schema.definitions.get(arm.ref)!.node;
  if (node.items ?? node.anyOf ?? node.oneOf) return true;
  return hasMember(schema, node, "jsonrpc") && constantMember(schema, node, "method") === undefined;
}

function isEnvelope(reader: FormReader, { members, scalars }: Form): boolean {
  const isMessage = (arm: ShapeArm): boolean =>
    arm.type === "array" ? isBatch(reader.of(arm.items)) : arm.properties.get("jsonrpc")?.required === true;
  return (
    members.length > 1 &&
    members.every(({ nodes }) =>
      nodes.every((node) => constantMember(reader.schema, node, "method") === undefined),
    ) &&
    isMostly([...members, ...scalars.keys()], (arm) => typeof arm !== "string" && isMessage(arm))
  );
}

/**
 * Whether the condition holds for more than half of the values: an envelope stays one if a single arm has
 * changed.
 */
function isMostly<T>(values: readonly T[], holds: (value: T) => boolean): boolean {
  return 2 * values.filter(holds).length > values.length;
}

function isBatch({ members, scalars }: Form): boolean {
  return (
    scalars.size === 0 && members.length > 0 && members.every(({ properties }) => properties.has("jsonrpc"))
  );
}
