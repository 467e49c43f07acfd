import type { SchemaNode } from "@mcpgen/engine";
import { type Method, type ProtocolModel, opposite } from "../../model/model.js";
import { hasMember } from "../../model/object-view.js";
import { responseOf, resultsOf } from "../../model/pairing.js";
import type { Fact, Pair } from "../../compare/align/pair.js";
import type { Conjunction } from "../../compare/shape/form.js";
import type { Context } from "./context.js";
import type { Direction } from "./direction.js";
import { armNodes } from "./envelope.js";
import { reachedFrom } from "../../compare/reach.js";
import type { Root } from "./root.js";

/** Members of the envelope that a schema need not describe in each message. */
const ofEnvelope: readonly string[] = ["jsonrpc", "id"];

/** The nodes for a whole message: its definition and, if that leaves the envelope out, the envelope. */
export function messageNodes({ schema }: Pick<ProtocolModel, "schema">, method: Method): Conjunction {
  const { node } = schema.definitions.get(method.message)!;
  if (method.envelope || method.payload) return [node];
  return [node, ...(armNodes(schema, method.kind) ?? [])];
}

/** The nodes for the whole response to a request with a plain result. */
export function responseNodes({ schema }: ProtocolModel, { message }: Method): Conjunction | undefined {
  const own = responseOf(schema, message);
  const any = armNodes(schema, "response");
  if (!own) return any;
  return hasMember(schema, own.node, "jsonrpc") ? [own.node] : [own.node, ...(any ?? [])];
}

/** Compares what stands at the messages of a method beside its params, and at the responses beside the result. */
export function compareMessages(direction: Direction, before: Method, after: Method, context: Context): void {
  const { old, next, from, name } = direction;
  // A message inside another message loses its envelope. The method reports that once.
  if (before.payload === after.payload) {
    const nodes = [messageNodes(old, before), messageNodes(next, after)] as const;
    const whole = { ...context, whole: true } as Context;
    const root = compareWhole(direction, nodes, whole, ["params", "method"]);
    // A separate envelope's schema of params holds beside the message's schema of them.
    if (nodes.some((all) => all.length > 1)) reportInside(direction, root, "params");
  }
  if (before.kind !== "request" || before.payload || after.payload) return;
  const own = [responseOf(old.schema, before.message), responseOf(next.schema, after.message)];
  const [a, b] = [responseNodes(old, before), responseNodes(next, after)];
  // Without a separate response definition, the envelope is the whole schema.
  if (!a || !b || own.every((each) => each === undefined)) return;
  const response: Context = { part: "response", method: name, from: opposite(from) };
  const root = compareWhole(direction, [a, b], response, ["result"]);
  // Results are compared one by one. Other forms of a response are reported with the response.
  const isSame = namesOf(before) === namesOf(after);
  if (isSame && own.every((each) => each !== undefined)) reportInside(direction, root, "result");
}

function namesOf(method: Method): string {
  return JSON.stringify(resultsOf(method).toSorted());
}

/** @param apart members that are compared by themselves */
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

/** The breaks inside a member that only the whole message shows, and that no other root reports. */
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

/** Whether a fact is about a member that was added, removed, made required or made optional. */
function isOfMember({ rule, subject, when = "" }: Fact, key: string): boolean {
  if (!rule.startsWith("property-") || !("path" in subject) || subject.path !== key) return false;
  // Params that come to a closed message, or go from one, are refused: only the whole message shows it.
  return key !== "result" && (key !== "params" || !when.includes("closed"));
}
