import { type Dialect, type Move, type StreamEvent, type TurnFacts, objectsIn, textIn } from "./dialect.js";

const usage = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation: null,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
};

/** `POST /v1/messages` of Anthropic. */
export const anthropic = {
  name: "anthropic",
  path: /\/messages$/,
  isStreamed: ({ stream }) => stream === true,
  tools: ({ tools }) =>
    objectsIn(tools).flatMap(({ name, description, input_schema }) =>
      typeof name === "string" ? [{ name, description: textIn(description), schema: input_schema }] : [],
    ),
  results: ({ messages }) =>
    objectsIn(messages)
      .flatMap(({ content }) => objectsIn(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id, content = "", is_error }) => ({
        call: textIn(tool_use_id),
        content,
        isError: is_error === true,
      })),
  message: (move: Move, turn: TurnFacts) => ({
    ...opening(turn),
    content: [block(move)],
    stop_reason: stopReason(move),
  }),
  events(move: Move, turn: TurnFacts) {
    const whole = block(move);
    const [start, delta] =
      whole.type === "text"
        ? [
            { ...whole, text: "" },
            { type: "text_delta" as const, text: whole.text },
          ]
        : [
            { ...whole, input: {} },
            { type: "input_json_delta" as const, partial_json: JSON.stringify(whole.input) },
          ];
    const events = [
      { type: "message_start", message: opening(turn) },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: stopReason(move), stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: "message_stop" },
    ] as const;
    return events.map((event): StreamEvent => [event.type, event]);
  },
} as const satisfies Dialect;

function opening({ id, model }: TurnFacts) {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage,
  } as const;
}

function block(move: Move) {
  if ("text" in move) return { type: "text", text: move.text, citations: null } as const;
  const { call, tool, arguments: input } = move;
  return { type: "tool_use", id: call, name: tool.name, input, caller: { type: "direct" } } as const;
}

function stopReason(move: Move) {
  return "text" in move ? ("end_turn" as const) : ("tool_use" as const);
}
