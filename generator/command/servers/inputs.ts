import { CodedError, type Place } from "../../diagnostics/coded-error.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { canAsk } from "../terminal.js";
import { namedVariable } from "../named-variable.js";
import { secrets } from "../../secrets/secrets.js";
import { printable } from "../../print/terminal-text.js";
import type { Values } from "./expand.js";
import type { InputDeclaration } from "./read-host-file.js";

/**
 * Values of `${input:ID}`: from `--input`, else from the terminal, else the declared default. Each is asked
 * for once.
 */
export function inputValues(
  declared: readonly InputDeclaration[],
  args: Arguments,
  context: CommandContext,
): Values["input"] {
  const given = new Map((args.strings("input") ?? []).map((entry) => pair(entry, context)));
  return async (id, place) => {
    const known =
      given.get(id) ??
      (await asked(
        declared.find((input) => input.id === id),
        id,
        context,
      ));
    if (known === undefined) throw noValue(id, place);
    given.set(id, known);
    if (declared.find((input) => input.id === id)?.isSecret) secrets.learn(known);
    return known;
  };
}

function pair(entry: string, { env }: CommandContext): [string, string] {
  const [id = "", ...rest] = entry.split("=");
  const value = rest.length > 0 ? rest.join("=") : namedVariable(env, id);
  if (id !== "" && value !== undefined) return [id, value];
  throw new CodedError(
    "MG2004",
    `expected --input to be ID=VALUE or a variable that is set, got ${id || "none"}`,
    {
      next: "Give the value: --input ID=VALUE.",
    },
  );
}

async function asked(
  declared: InputDeclaration | undefined,
  id: string,
  context: CommandContext,
): Promise<string | undefined> {
  const { terminal } = context;
  if (terminal === undefined || !canAsk(context)) return declared?.fallback;
  const { isCancel, password, text } = await import("@clack/prompts");
  const message = printable(declared?.description ?? `Value of the input ${id}`);
  const answer = declared?.isSecret
    ? await password({ ...terminal, message })
    : await text({ ...terminal, message, initialValue: declared?.fallback ?? "" });
  return isCancel(answer) ? undefined : (answer ?? "");
}

function noValue(id: string, place: Place): CodedError {
  return new CodedError("MG2203", `the input ${JSON.stringify(id)} has no value`, {
    place,
    next: `Pass it: --input ${id}=VALUE.`,
  });
}
