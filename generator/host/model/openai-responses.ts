import type { JsonObject } from "@mcpgen/engine";
import {
  type Dialect,
  type Move,
  type OfferedTool,
  type StreamEvent,
  type TurnFacts,
  objectsIn,
  textIn,
} from "./dialect.js";

const usage = {
  input_tokens: 1,
  output_tokens: 1,
  total_tokens: 2,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};

/** `POST /v1/responses` of OpenAI. */
export const openaiResponses = {
  name: "openai-responses",
  path: /\/responses$/,
  isStreamed: ({ stream }) => stream === true,
  tools: ({ tools }) => objectsIn(tools).flatMap((tool) => offeredBy(tool)),
  results: ({ input }) =>
    objectsIn(input)
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output = "" }) => ({ call: textIn(call_id), content: output })),
  message: (move: Move, turn: TurnFacts) => response(turn, "completed", [item(move, turn)]),
  events(move: Move, turn: TurnFacts) {
    const whole = item(move, turn);
    const [id, index] = [whole.id, { output_index: 0, item_id: whole.id }];
    const parts =
      whole.type === "function_call"
        ? [
            { type: "response.function_call_arguments.delta", ...index, delta: whole.arguments },
            {
              type: "response.function_call_arguments.done",
              ...index,
              name: whole.name,
              arguments: whole.arguments,
            },
          ]
        : whole.content.flatMap((part) => {
            const place = { ...index, content_index: 0 };
            return [
              { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
              { type: "response.output_text.delta", ...place, delta: part.text, logprobs: [] },
              { type: "response.output_text.done", ...place, text: part.text, logprobs: [] },
              { type: "response.content_part.done", ...place, part },
            ];
          });
    const empty = whole.type === "function_call" ? { ...whole, arguments: "" } : { ...whole, content: [] };
    const events = [
      { type: "response.created", response: response(turn, "in_progress", []) },
      { type: "response.output_item.added", output_index: 0, item: { ...empty, id, status: "in_progress" } },
      ...parts,
      { type: "response.output_item.done", output_index: 0, item: whole },
      { type: "response.completed", response: response(turn, "completed", [whole]) },
    ];
    return events.map((event, index): StreamEvent => [event.type, { ...event, sequence_number: index }]);
  },
} as const satisfies Dialect;

/** A function, or the functions of a namespace. */
function offeredBy({ type, name, description, parameters, tools }: JsonObject): OfferedTool[] {
  if (typeof name !== "string") return [];
  if (type !== "namespace") return [{ name, description: textIn(description), schema: parameters }];
  return objectsIn(tools)
    .flatMap((tool) => offeredBy(tool))
    .map((tool) => ({ ...tool, name: name + tool.name, namespace: name }));
}

function response<Item>({ id, model }: TurnFacts, status: "in_progress" | "completed", output: Item[]) {
  return {
    id: `resp_${id}`,
    object: "response" as const,
    created_at: 1,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: null,
    model,
    output,
    parallel_tool_calls: false,
    temperature: null,
    tool_choice: "auto" as const,
    tools: [],
    access_programs: null,
    top_p: null,
    ...(status === "completed" && { usage }),
  };
}

function item(move: Move, { id }: TurnFacts) {
  const status = "completed" as const;
  if ("text" in move) {
    const content = [{ type: "output_text" as const, text: move.text, annotations: [], logprobs: [] }];
    return { type: "message" as const, id: `msg_${id}`, role: "assistant" as const, status, content };
  }
  const { namespace, name } = move.tool;
  return {
    type: "function_call" as const,
    id: `fc_${id}`,
    call_id: move.call,
    name: namespace === undefined ? name : name.slice(namespace.length),
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(move.arguments),
    status,
  };
}
