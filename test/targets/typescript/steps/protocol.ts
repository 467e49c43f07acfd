import { type JsonObject, type JsonValue, isJsonObject, memberNodes } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Method, type ProtocolModel, type Role, answersOf } from "../../../../generator/model/model.js";
import type { Random } from "../../../../generator/sample/values.js";
import { sampleValid } from "../../../../generator/sample/sample.js";

/** The form of the emitted tables, as far as tests use it. */
export interface Steps {
  readonly previous: string;
  readonly incomingRequests: StepTable;
  readonly incomingNotifications: StepTable;
  readonly incomingResults: StepTable;
  readonly outgoingRequests: StepTable;
  readonly outgoingNotifications: StepTable;
  readonly outgoingResults: StepTable;
}
/** The steps of both roles between two revisions. */
export interface PairSteps {
  readonly clientSteps: Steps;
  readonly serverSteps: Steps;
}
export type StepTable = ReadonlyMap<string, Step>;
export type Step = (value: object, report: Report) => object;
export interface Loss {
  readonly pointer: string;
  readonly what: string;
  readonly how: string;
}
export interface Report {
  lost(loss: Loss): void;
  refuse(refusal: { readonly code: string; readonly pointer: string; readonly reason: string }): never;
  /** Params of the request that a result answers. */
  readonly request?: object | undefined;
}

/** The report of a step that cannot convert a message. */
export class Refusal extends Error {
  readonly code: string;
  readonly pointer: string;

  constructor({ code, pointer, reason }: { code: string; pointer: string; reason: string }) {
    super(`${code} at ${JSON.stringify(pointer)}: ${reason}`);
    this.code = code;
    this.pointer = pointer;
  }
}

/** A report that keeps what it hears. */
export function listener(): Report & { readonly losses: Loss[] } {
  const losses: Loss[] = [];
  return {
    losses,
    lost: (loss) => void losses.push(loss),
    refuse: (refusal) => {
      throw new Refusal(refusal);
    },
  };
}

/** The outcome of a step for a value. */
export type Outcome =
  | { readonly value: unknown; readonly losses: readonly Loss[] }
  | { readonly refused: string; readonly at: string };

/**
 * The outcome of a step for a value: the result, the losses, or the refusal.
 *
 * @param request params of the request that the value answers
 */
export function outcomeOf(
  step: (value: object, report: Report) => unknown,
  value: object,
  request?: object,
): Outcome {
  const report = { ...listener(), request };
  try {
    return { value: step(value, report), losses: report.losses };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.code, at: error.pointer };
    throw error;
  }
}

/** The value in a message of a method: its params or its result. */
export interface Carried {
  readonly method: string;
  readonly kind: Method["kind"];
  readonly sender: Role;
  readonly part: "params" | "result";
}

/** The tables that hold the steps for a value. */
export function tableOf({ kind, part }: Carried): "Results" | "Requests" | "Notifications" {
  return part === "result" ? "Results" : kind === "request" ? "Requests" : "Notifications";
}

/** The step for a value from the newer revision of a pair to the older one (`lower`), or back. */
export function stepFor(
  { clientSteps, serverSteps }: PairSteps,
  carried: Carried,
  way: "lift" | "lower",
): Step | undefined {
  const isClient = (carried.part === "params") === (carried.sender === "client");
  const [writer, reader] = isClient ? [clientSteps, serverSteps] : [serverSteps, clientSteps];
  const name = tableOf(carried);
  return (way === "lower" ? writer[`outgoing${name}`] : reader[`incoming${name}`]).get(carried.method);
}

export function methodOf(model: ProtocolModel, { method, kind, sender }: Carried): Method | undefined {
  return model.methods.find(
    (each) => each.name === method && each.kind === kind && each.senders.includes(sender),
  );
}

/** The params and results of all messages of a revision. */
export function carriedBy(model: ProtocolModel): Carried[] {
  return model.methods.flatMap((method) =>
    method.senders.flatMap((sender) => {
      const common = { method: method.name, kind: method.kind, sender };
      const params = method.params.presence === "none" ? [] : [{ ...common, part: "params" as const }];
      return [...params, ...(answersOf(method).length > 0 ? [{ ...common, part: "result" as const }] : [])];
    }),
  );
}

/** A valid instance of the params or the result. */
export function sampleOf(model: ProtocolModel, carried: Carried, random: Random): JsonObject | undefined {
  const method = methodOf(model, carried)!;
  const name = random.pick(carried.part === "result" ? answersOf(method) : [method.message]);
  const mark = method.result?.alternatives.find(({ definition }) => definition === name)?.discriminator;
  const drawn = sampleValid(model.schema, name, random);
  const value =
    isJsonObject(drawn) && mark?.value !== undefined ? { ...drawn, [mark.key]: mark.value } : drawn;
  const found = carried.part === "params" && isJsonObject(value) ? value["params"] : value;
  return isJsonObject(found) ? found : undefined;
}

/** Whether the exact definitions of a revision accept the value. */
export function isAccepted({ schema, ...model }: ProtocolModel, carried: Carried, value: JsonValue): boolean {
  const method = methodOf({ schema, ...model }, carried)!;
  if (carried.part === "result")
    return meant(method, value).some((name) => isValid(schema, schema.definitions.get(name)!.node, value));
  const nodes = memberNodes(schema, schema.definitions.get(method.message)!.node, "params");
  return nodes.every((node) => isValid(schema, node, value));
}

/** The possible definitions of a result: the alternative with its mark, or otherwise those without a mark. */
function meant({ result }: Method, value: JsonValue): string[] {
  const { definition, alternatives = [] } = result ?? {};
  const marked = alternatives.find(({ discriminator: mark }) => {
    const member = mark && isJsonObject(value) ? value[mark.key] : undefined;
    return member !== undefined && (mark!.value === undefined || member === mark!.value);
  });
  if (marked) return [marked.definition];
  const unmarked = alternatives.filter(({ discriminator }) => !discriminator);
  return [definition, ...unmarked.map((each) => each.definition)].filter((name) => name !== undefined);
}

/** The value with the members that the runtime writes for the era, which replace existing ones. */
export function withOwned(model: ProtocolModel, carried: Carried, value: JsonValue): JsonValue {
  const method = methodOf(model, carried)!;
  const definition = carried.part === "result" ? method.result?.definition : method.params.definition;
  return definition === undefined ? value : filled(model, definition, value);
}

function filled(model: ProtocolModel, definition: string, value: JsonValue): JsonValue {
  const { node } = model.schema.definitions.get(definition)!;
  const owned = model.owned.get(definition) ?? new Set<string>();
  if (!isJsonObject(value)) return value;
  const entries = new Map(Object.entries(value).filter(([key]) => !owned.has(key)));
  for (const [key, { ref }] of node.properties ?? []) {
    const isRequired = node.required?.includes(key) ?? false;
    if (owned.has(key) && isRequired) entries.set(key, ownedValues[key.split("/").at(-1)!]!);
    else if (
      ref !== undefined &&
      !owned.has(key) &&
      reachesOwned(model, ref) &&
      (entries.has(key) || isRequired)
    )
      entries.set(key, filled(model, ref, entries.get(key) ?? {}));
  }
  return Object.fromEntries(entries);
}

function reachesOwned({ owned }: ProtocolModel, definition: string): boolean {
  return owned.has(definition);
}

/** Whether a revision accepts the members that `withOwned` adds. */
export function takesOwned({ schema, owned }: ProtocolModel): boolean {
  return [...owned].every(([name, keys]) => {
    const { properties, required } = schema.definitions.get(name)!.node;
    const filled = [...keys].filter((key) => required?.includes(key));
    return filled.every((key) =>
      isValid(schema, properties!.get(key)!, ownedValues[key.split("/").at(-1)!]!),
    );
  });
}

/** The members that the runtime writes for the era. */
const ownedValues: { readonly [key: string]: JsonValue } = {
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  protocolVersion: "2026-07-28",
  clientCapabilities: {},
  subscriptionId: "1",
};

const odd: readonly JsonValue[] = ["text", 1.5, true, null, [], {}, [5], { a: true }, { type: "text" }];

/** The value with additional members, under names that some revision declares. */
export function withStrays(value: JsonValue, keys: readonly string[], random: Random): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withStrays(item, keys, random));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, member]) => [key, withStrays(member, keys, random)] as const,
  );
  const strays = random.chance(0.3) ? [[random.pick(keys), random.pick(odd)] as const] : [];
  const known = new Set(entries.map(([key]) => key));
  return Object.fromEntries([...entries, ...strays.filter(([key]) => !known.has(key))]);
}

export function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFrozen(inner);
  }
  return value;
}
