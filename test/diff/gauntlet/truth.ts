import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Random } from "../../../generator/sample/values.js";
import {
  type Holders,
  type Role,
  type Sent,
  answersTo,
  definitionsOf,
  holdersIn,
  holdersOf,
  methodOf,
  opposite,
  placesIn,
  referenced,
  sentIn,
} from "../../support/schema-changes/document.js";
import { Sampler } from "./sampler.js";

const options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  logger: false,
  inlineRefs: false,
} as const;

const isSame = (a: JsonObject | undefined, b: JsonObject): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * A document and ajv's verdicts on its definitions. For a changed document, only the definitions that the change
 * affects are compiled; for others, the verdict of the unchanged document is used.
 */
export class Judge {
  readonly document: JsonObject;
  readonly sent: readonly Sent[];
  readonly holders: Holders;
  private readonly base: Judge | undefined;
  private readonly ajv: Ajv2020;
  /** Names of the definitions that are compiled for this document. */
  private readonly own: ReadonlySet<string>;
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(document: JsonObject, base?: Judge) {
    const definitions = Object.entries(definitionsOf(document));
    this.document = document;
    this.sent = sentIn(document);
    this.holders = holdersIn(document);
    this.base = base;
    this.ajv = base?.ajv ?? new Ajv2020(options);
    const known = base && definitionsOf(base.document);
    const changed = definitions.filter(([name, node]) => !known || !isSame(known[name], node));
    this.own = holdersOf(
      this.holders,
      changed.map(([name]) => name),
    );
    for (const [name, node] of definitions)
      if (this.own.has(name)) this.ajv.addSchema(this.located(node) as JsonObject, this.uriOf(name));
  }

  /** Frees the validators that were compiled for a changed document. */
  forget(): void {
    for (const name of this.own) this.ajv.removeSchema(this.uriOf(name));
  }

  has(name: string): boolean {
    return name in definitionsOf(this.document);
  }

  takes(name: string, value: JsonValue): boolean {
    if (this.base && !this.own.has(name)) return this.base.takes(name, value);
    let validate = this.compiled.get(name);
    if (!validate)
      this.compiled.set(name, (validate = this.ajv.getSchema(this.uriOf(name)) as ValidateFunction));
    return validate(value) as boolean;
  }

  private uriOf(name: string): string {
    return `${this.base && this.own.has(name) ? "changed" : "base"}:/${name}`;
  }

  /** Returns the schema with references as `uriOf` writes them. */
  private located(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((each) => this.located(each));
    if (!isJsonObject(value)) return value;
    const target = referenced(value);
    const copy = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.located(child)]));
    return target === undefined ? copy : { ...copy, $ref: this.uriOf(target) };
  }

  /** Whether a value is a message of a method. Some revisions describe the envelope in a separate definition. */
  takesMessage({ method, sender, kind }: Sent, value: JsonValue): boolean {
    const sent = this.sent.find((each) => each.method === method && each.sender === sender);
    if (sent?.kind !== kind || !this.takes(sent.definition, value)) return false;
    if (this.isWhole(sent.definition)) return true;
    const envelope = kind === "request" ? "JSONRPCRequest" : "JSONRPCNotification";
    return !this.has(envelope) || this.takes(envelope, value);
  }

  /** The whole response to a method: its separate response definition, if there is one, else any response. */
  takesResponse({ definition }: Sent, value: JsonValue): boolean {
    const own = definition.replace(/Request$/, "ResultResponse");
    const any = ["JSONRPCResultResponse", "JSONRPCResponse"].find((name) => this.has(name))!;
    if (this.has(own) && !this.takes(own, value)) return false;
    return (this.has(own) && this.isWhole(own)) || this.takes(any, value);
  }

  /** The definition of the message that has this method, whether a union lists it or not. */
  definitionOf(method: string): string | undefined {
    return Object.entries(definitionsOf(this.document)).find(([, node]) => methodOf(node) === method)?.[0];
  }

  isWhole(name: string): boolean {
    const properties = definitionsOf(this.document)[name]?.["properties"];
    return isJsonObject(properties) && "jsonrpc" in properties;
  }
}

/** A kind of value that peers exchange: its sender, and a verdict for each document. */
interface Channel {
  readonly text: string;
  readonly writer: Role;
  /** Definitions of the sender's document from which a value is drawn; each adds members. */
  readonly drawn: readonly string[];
  readonly takes: (judge: Judge, value: JsonValue) => boolean;
  /** Receivers ignore notifications that they do not know. */
  readonly isIgnored: (judge: Judge) => boolean;
}

function channelsOf(writer: Judge): Channel[] {
  const channels: Channel[] = [];
  for (const sent of writer.sent) channels.push(...channelsOfMethod(writer, sent));
  return channels;
}

function channelsOfMethod(judge: Judge, sent: Sent): Channel[] {
  const { definition, kind, method, sender } = sent;
  const envelope = kind === "request" ? "JSONRPCRequest" : "JSONRPCNotification";
  const isKnown = (other: Judge): boolean =>
    other.sent.some((each) => each.method === method && each.sender === sender && each.kind === kind);
  const message: Channel = {
    text: `${method} from ${sender}`,
    writer: sender,
    drawn: judge.isWhole(definition) || !judge.has(envelope) ? [definition] : [envelope, definition],
    takes: (other, value) => other.takesMessage(sent, value),
    isIgnored: (other) => kind === "notification" && !isKnown(other),
  };
  if (kind === "notification") return [message];
  const answers = answersTo(judge.document, sent);
  const response = definition.replace(/Request$/, "ResultResponse");
  const result = (name: string): Channel => ({
    text: `${name} in answer to ${method} from ${sender}`,
    writer: opposite(sender),
    drawn: [name],
    takes: (other, value) => {
      const partner = other.sent.find((each) => each.method === method && each.sender === sender)!;
      return answersTo(other.document, partner).some((each) => other.takes(each, value));
    },
    isIgnored: (other) => !isKnown(other),
  });
  const whole: Channel = {
    text: `response to ${method} from ${sender}`,
    writer: opposite(sender),
    drawn: [response],
    takes: (other, value) => other.takesResponse(sent, value),
    isIgnored: (other) => !isKnown(other) || !other.has(response),
  };
  return [message, ...answers.map(result), ...(judge.has(response) ? [whole] : [])];
}

/** Messages of any method; their kind decides the sender. */
function envelopesOf(judge: Judge): Channel[] {
  const union = definitionsOf(judge.document)["JSONRPCMessage"];
  const arms = placesIn(union).flatMap(({ node }) => referenced(node) ?? []);
  const senders = (kind: Sent["kind"]): Role[] => [
    ...new Set(judge.sent.filter((each) => each.kind === kind).map(({ sender }) => sender)),
  ];
  return [...new Set(arms)].flatMap((arm) => {
    const writers = arm.endsWith("Request")
      ? senders("request")
      : arm.endsWith("Notification")
        ? senders("notification")
        : senders("request").map(opposite);
    return writers.map((writer) => ({
      text: `${arm} of ${writer}`,
      writer,
      drawn: [arm],
      takes: (other: Judge, value: JsonValue) => other.takes("JSONRPCMessage", value),
      isIgnored: (other: Judge) => !other.has("JSONRPCMessage"),
    }));
  });
}

/** A message that one document accepts and the other refuses. */
export interface Shown {
  readonly channel: string;
  /** The role of the old revision that fails, and whether it fails as the writer or the reader. */
  readonly role: Role;
  readonly as: "writer" | "reader";
  readonly value: JsonValue;
}

const mostChannels = 8;

/** Draws messages of both documents that lead to `paths`, and has both judge them. */
export function shownBy(
  judges: readonly [Judge, Judge],
  paths: readonly (readonly string[])[],
  draws: number,
  random: Random,
): Shown[] {
  return ([0, 1] as const).flatMap((side) => {
    const [writer, reader] = [judges[side], judges[1 - side]!];
    const holders = holdersOf(
      writer.holders,
      paths.map(([, name]) => name!),
    );
    const sampler = new Sampler(writer.document, paths, holders, random);
    const leading = [...envelopesOf(writer), ...channelsOf(writer)].filter(({ drawn }) =>
      drawn.some((name) => holders.has(name)),
    );
    return some(leading, random).flatMap((channel) => {
      if (channel.isIgnored(reader)) return side === 0 ? lostNotification(channel) : [];
      const value = firstRefused(channel, [writer, reader], sampler, draws);
      if (value === undefined) return [];
      const role = side === 0 ? channel.writer : opposite(channel.writer);
      return [{ channel: channel.text, role, as: side === 0 ? "writer" : "reader", value } as const];
    });
  });
}

/** If a revision removes a notification, its sender is affected, although receivers ignore the message. */
function lostNotification({ text, writer }: Channel): Shown[] {
  return / in answer | response /.test(` ${text}`) || !text.startsWith("notifications/")
    ? []
    : [{ channel: text, role: writer, as: "writer", value: null }];
}

/** Returns at most `mostChannels` random channels: a change of a part that all messages have shows in each of them. */
function some(channels: readonly Channel[], random: Random): Channel[] {
  const left = [...channels];
  while (left.length > mostChannels) left.splice(random.below(left.length), 1);
  return left;
}

function firstRefused(
  { drawn, takes }: Channel,
  [writer, reader]: readonly [Judge, Judge],
  sampler: Sampler,
  draws: number,
): JsonValue | undefined {
  for (let draw = 0; draw < draws; draw++) {
    const parts = drawn.map((name) => sampler.draw(name));
    const value = parts.length === 1 ? parts[0]! : (Object.assign({}, ...parts) as JsonObject);
    if (takes(writer, value) && !takes(reader, value)) return value;
  }
  return undefined;
}
