import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { followed, keyText, memberText, membersOf, typeText } from "./type-text.js";

/** Characters of a signature that stand on one line. */
const widest = 110;

/** `get_weather(city: string, units?: "metric" | "imperial") → { celsius: number }`; an argument a line where it is long. */
export function toolSignature(tool: JsonObject): string {
  const { inputSchema = {}, outputSchema } = tool;
  const root = followed(inputSchema, inputSchema);
  const members = isJsonObject(root) ? membersOf(root).map((each) => memberText(each, inputSchema)) : [];
  const result = outputSchema === undefined ? "" : ` → ${typeText(outputSchema, outputSchema)}`;
  return signature(String(tool["name"]), members, result);
}

/** `review(code, style?)`: arguments of prompts are texts. */
export function promptSignature({ name, arguments: args }: JsonObject): string {
  return signature(
    String(name),
    promptArguments(args).map(
      ({ name: argument, isRequired }) => `${keyText(argument)}${isRequired ? "" : "?"}`,
    ),
    "",
  );
}

/** An argument of a prompt. */
interface PromptArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

export function promptArguments(args: JsonValue | undefined): PromptArgument[] {
  if (!Array.isArray(args)) return [];
  return args.flatMap((argument) =>
    isJsonObject(argument) && typeof argument["name"] === "string"
      ? [{ name: argument["name"], isRequired: argument["required"] === true }]
      : [],
  );
}

function signature(name: string, members: readonly string[], result: string): string {
  const line = `${name}(${members.join(", ")})${result}`;
  if (line.length <= widest || members.length === 0) return line;
  return `${name}(\n${members.map((member) => `  ${member},\n`).join("")})${result}`;
}
