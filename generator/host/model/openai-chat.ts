import { type Dialect, type Move, type StreamEvent, type TurnFacts, objectsIn, textIn } from "./dialect.js";
import { isJsonObject } from "@mcpgen/engine";

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** `POST /v1/chat/completions` of OpenAI. */
export const openaiChat = {
  name: "openai-chat",
  path: /\/chat\/completions$/,
  isStreamed: ({ stream }) => stream === true,
  tools: ({ tools }) =>
    objectsIn(tools).flatMap(({ function: declared }) => {
      if (!isJsonObject(declared) || typeof declared["name"] !== "string") return [];
      const { name, description, parameters } = declared;
      return [{ name, description: textIn(description), schema: parameters }];
    }),
  results: ({ messages }) =>
    objectsIn(messages)
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id, content = "" }) => ({ call: textIn(tool_call_id), content })),
  message: (move: Move, turn: TurnFacts) => ({
    ...opening(turn),
    object: "chat.completion" as const,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant" as const,
          content: "text" in move ? move.text : null,
          refusal: null,
          ...("text" in move ? {} : { tool_calls: [callOf(move)] }),
        },
        finish_reason: finishReason(move),
        logprobs: null,
      },
    ],
    usage,
  }),
  events(move: Move, turn: TurnFacts) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...opening(turn),
      object: "chat.completion.chunk" as const,
      choices: [{ index: 0, delta, finish_reason }],
    });
    const said = "text" in move ? { content: move.text } : { tool_calls: [{ index: 0, ...callOf(move) }] };
    return [
      [undefined, chunk({ role: "assistant", content: null, ...said })],
      [undefined, { ...chunk({}, finishReason(move)), usage }],
      [undefined, "[DONE]"],
    ] satisfies StreamEvent[];
  },
} as const satisfies Dialect;

function opening({ id, model }: TurnFacts) {
  return { id: `chatcmpl-${id}`, created: 1, model };
}

function callOf({ call, tool, arguments: given }: Extract<Move, { call: string }>) {
  const named = { name: tool.name, arguments: JSON.stringify(given) };
  return { id: call, type: "function" as const, function: named };
}

function finishReason(move: Move) {
  return "text" in move ? ("stop" as const) : ("tool_calls" as const);
}
