import type { PromptArgument } from "@mcpgen/protocol/authoring";
import { isObject } from "../jsonrpc/message.js";
import type { JsonSchema } from "../schema/json-schema.js";
import type { InputOf, OutputOf, ToolSchema } from "../schema/schema-type.js";

/** The arguments of a prompt: as the list has them, or a schema of an object whose members they are. */
export type PromptArguments = readonly PromptArgument[] | ToolSchema;

/** What a prompt's handler gets. */
export type PromptValues<Given> = PromptArguments extends Given
  ? { [name: string]: string }
  : Given extends readonly PromptArgument[]
    ? ListedValues<Given>
    : OutputOf<Given>;

/** Names of a prompt's arguments. */
export type ArgumentNames<Given> = PromptArguments extends Given
  ? string
  : Given extends readonly PromptArgument[]
    ? Given[number]["name"]
    : unknown extends InputOf<Given>
      ? string
      : keyof InputOf<Given> & string;

type ListedValues<List extends readonly PromptArgument[]> = number extends List["length"]
  ? { [name: string]: string }
  : { [Name in RequiredIn<List>["name"]]: string } & {
      [Name in Exclude<List[number], RequiredIn<List>>["name"]]?: string;
    };

type RequiredIn<List extends readonly PromptArgument[]> = Extract<List[number], { readonly required: true }>;

/** The members of an object schema as arguments of a prompt. */
export function argumentsOf({ properties, required }: JsonSchema): PromptArgument[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
      ...(needed.includes(name) ? { required: true } : {}),
    };
  });
}
