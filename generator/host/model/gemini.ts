import { type Dialect, type Move, type StreamEvent, type TurnFacts, objectsIn, textIn } from "./dialect.js";
import { type JsonObject, isJsonObject } from "@mcpgen/engine";

/** `POST /v1beta/models/…:generateContent` and `:streamGenerateContent` of Gemini. */
export const gemini = {
  name: "gemini",
  path: /:(?:streamGenerateContent|generateContent)$/,
  isStreamed: (_, path) => path.endsWith(":streamGenerateContent"),
  tools: ({ tools }) =>
    objectsIn(tools)
      .flatMap((tool) => objectsIn(tool["functionDeclarations"]))
      .flatMap(({ name, description, parametersJsonSchema, parameters }) =>
        typeof name === "string"
          ? [{ name, description: textIn(description), schema: parametersJsonSchema ?? parameters }]
          : [],
      ),
  results: ({ contents }) =>
    objectsIn(contents)
      .flatMap(({ parts }) => objectsIn(parts))
      .map(({ functionResponse }) => functionResponse)
      .filter((each): each is JsonObject => each !== undefined && isJsonObject(each))
      .map(({ id, response = {} }) => ({
        call: textIn(id),
        content: response,
        isError: isJsonObject(response) && "error" in response,
      })),
  message: answer,
  events: (move: Move, turn: TurnFacts) => [[undefined, answer(move, turn)]] satisfies StreamEvent[],
} as const satisfies Dialect;

function answer(move: Move, { id, model }: TurnFacts) {
  const part =
    "text" in move
      ? { text: move.text }
      : { functionCall: { id: move.call, name: move.tool.name, args: move.arguments } };
  return {
    responseId: id,
    modelVersion: model,
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
}
