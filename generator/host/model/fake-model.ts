import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { jsonIn } from "../../files/json-file.js";
import { bodyOf, listenOnLoopback } from "../../files/loopback.js";
import { anthropic } from "./anthropic.js";
import type { Dialect, Move, OfferedTool, ReceivedResult } from "./dialect.js";
import { gemini } from "./gemini.js";
import { openaiChat } from "./openai-chat.js";
import { openaiResponses } from "./openai-responses.js";

/** A call that the model makes. */
export interface ModelCall {
  /** The name by which the host offers the tool. */
  readonly tool: string;
  readonly arguments?: JsonObject;
}

/** A request of the host that offered tools, or that brought results. */
export interface ModelTurn {
  readonly api: Dialect["name"];
  readonly tools: readonly OfferedTool[];
  /** Results that no earlier turn had, with the place of their call in the script. */
  readonly results: readonly (ReceivedResult & { readonly step: number | undefined })[];
  /** The place in the script of the call with which the model answered; `undefined` if it answered with text. */
  readonly step: number | undefined;
  /** When the request came, in milliseconds of `performance.now()`. */
  readonly at: number;
}

export interface FakeModelOptions {
  /**
   * The calls, in their order. A turn takes the first call that is left and whose tool it offers.
   */
  readonly script: readonly ModelCall[];
  /** The offered tool that a call of the script means. Default: the tool of this name. */
  readonly find?: (tool: string, offered: readonly OfferedTool[]) => OfferedTool | undefined;
  /** What the model says when the script is over, and to requests without tools. Default: `done`. */
  readonly text?: string;
  /** What the model waits for before it makes the call at this place of the script. */
  readonly before?: (step: number) => Promise<unknown>;
}

/** A model on the loopback interface that plays a script. */
export interface FakeModel {
  /** Without a path; hosts append `/v1/messages`, `/v1/responses` … */
  readonly url: string;
  readonly turns: readonly ModelTurn[];
  /** The calls that no turn has taken, by their place in the script. */
  readonly left: readonly number[];
  /** Requests that were no turn: `METHOD PATH`. Token counts, titles, lists of models, telemetry. */
  readonly asides: readonly string[];
  close(): Promise<void>;
}

/** Maximum size in bytes of a request: hosts send pictures along. */
const mostBytes = 64 * 2 ** 20;

const dialects: readonly Dialect[] = [anthropic, openaiChat, openaiResponses, gemini];

/**
 * Starts a model that calls tools by a script. It speaks Anthropic's messages, OpenAI's chat completions and responses,
 * and Gemini's `generateContent`, each streamed and not, and takes any key.
 */
export async function fakeModel(options: FakeModelOptions): Promise<FakeModel> {
  const model = new Model(options);
  const server = createServer((request, response) => void model.answer(request, response));
  const { port, close } = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    turns: model.turns,
    get left() {
      return model.left;
    },
    asides: model.asides,
    close,
  };
}

class Model {
  readonly turns: ModelTurn[] = [];
  readonly asides: string[] = [];
  readonly #options: FakeModelOptions;
  readonly #left: Set<number>;
  /** The place in the script of each call made, in order, by the call's id. */
  readonly #made = new Map<string, number>();
  /** Results that an earlier turn had, by the call's id. */
  readonly #seen = new Set<string>();

  constructor(options: FakeModelOptions) {
    this.#options = options;
    this.#left = new Set(options.script.keys());
  }

  get left(): number[] {
    return [...this.#left];
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const [path = ""] = (request.url ?? "").split("?");
    const body = jsonIn((await bodyOf(request, mostBytes)) ?? "");
    const dialect = dialects.find((each) => each.path.test(path));
    if (!dialect || !isJsonObject(body)) {
      this.asides.push(`${request.method} ${path}`);
      return end(response, asideOf(path));
    }
    const move = this.#move(dialect, body, at);
    if (!move) this.asides.push(`${request.method} ${path}`);
    const step = this.turns.at(-1)?.step;
    if (move && step !== undefined) await this.#options.before?.(step);
    const facts = { id: `${this.turns.length}-${this.asides.length}`, model: modelOf(body) };
    const said = move ?? { text: this.#options.text ?? "done" };
    if (!dialect.isStreamed(body, path)) return end(response, dialect.message(said, facts));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (const [name, data] of dialect.events(said, facts)) {
      if (name !== undefined) response.write(`event: ${name}\n`);
      response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    }
    response.end();
  }

  /** The model's part of a turn; `undefined` if the request is none: it offers no tool and brings no result. */
  #move(dialect: Dialect, body: JsonObject, at: number): Move | undefined {
    const tools = dialect.tools(body);
    const results = this.#fresh(dialect.results(body));
    if (tools.length === 0 && results.length === 0) return undefined;
    const found = this.#next(tools);
    this.turns.push({ api: dialect.name, tools, results, step: found?.step, at });
    if (!found) return { text: this.#options.text ?? "done" };
    const call = `call_${found.step}`;
    this.#made.set(call, found.step);
    return { call, tool: found.tool, arguments: this.#options.script[found.step]!.arguments ?? {} };
  }

  #next(offered: readonly OfferedTool[]): { readonly step: number; readonly tool: OfferedTool } | undefined {
    const { script, find = named } = this.#options;
    for (const step of this.#left) {
      const tool = find(script[step]!.tool, offered);
      if (!tool) continue;
      this.#left.delete(step);
      return { step, tool };
    }
    return undefined;
  }

  /** A conversation repeats all earlier results; an API without ids has them in the order of the calls. */
  #fresh(results: readonly ReceivedResult[]): ModelTurn["results"] {
    const calls = [...this.#made.keys()];
    return results.flatMap((result, index) => {
      const call = result.call ?? calls[index];
      if (call === undefined || this.#seen.has(call)) return [];
      this.#seen.add(call);
      return [{ ...result, call, step: this.#made.get(call) }];
    });
  }
}

function named(tool: string, offered: readonly OfferedTool[]): OfferedTool | undefined {
  return offered.find(({ name }) => name === tool);
}

function modelOf({ model }: JsonObject): string {
  return typeof model === "string" ? model : "fake";
}

/** What a host asks besides: how many tokens something has, and which models there are. */
function asideOf(path: string): object {
  if (/count_?tokens$/i.test(path)) return { input_tokens: 1, totalTokens: 1 };
  if (path.endsWith("/models"))
    return { object: "list", data: [{ id: "fake", object: "model" }], models: [] };
  return {};
}

function end(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
