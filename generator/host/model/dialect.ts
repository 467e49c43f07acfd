import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";

/** A tool as a host offers it to the model. */
export interface OfferedTool {
  /** The name by which the model calls it; a namespace of the host stands in front. */
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: JsonValue | undefined;
  /** The part of the name that the host gives and takes apart from it. */
  readonly namespace?: string;
}

/** A result of a tool, as the host hands it to the model. */
export interface ReceivedResult {
  /** The id of the call; APIs without ids leave it out, and keep the order of the calls. */
  readonly call: string | undefined;
  readonly content: JsonValue;
  /** Whether the host marks it as failed; APIs without such a mark leave it out. */
  readonly isError?: boolean;
}

/** The model's part of a turn: a call, or text. */
export type Move =
  | { readonly call: string; readonly tool: OfferedTool; readonly arguments: JsonObject }
  | { readonly text: string };

/** An event of a stream: its name, if the API names events, and its data. */
export type StreamEvent = readonly [name: string | undefined, data: object | string];

/** An API of a model's vendor. */
export interface Dialect {
  readonly name: "anthropic" | "openai-chat" | "openai-responses" | "gemini";
  /** Matches the path of its requests. */
  readonly path: RegExp;
  isStreamed(body: JsonObject, path: string): boolean;
  /** The tools that a request offers. */
  tools(body: JsonObject): OfferedTool[];
  /** All results that a request contains, in their order. */
  results(body: JsonObject): ReceivedResult[];
  /** The body that says it at once. */
  message(move: Move, turn: TurnFacts): object;
  /** The events that say it as a stream. */
  events(move: Move, turn: TurnFacts): StreamEvent[];
}

export interface TurnFacts {
  /** Unique in the conversation. */
  readonly id: string;
  /** The model that the request names. */
  readonly model: string;
}

/** The members of a value that are objects; a value that is not an array has none. */
export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : [];
}

export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
