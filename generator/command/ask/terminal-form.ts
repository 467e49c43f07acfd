import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { printable } from "../../print/terminal-text.js";
import type { FormField } from "./form-fields.js";
import { readAs } from "./prepared-answers.js";
import type { Terminal } from "../terminal.js";

/** The user's decision on a question of a server. */
type Decision = "accept" | "decline" | "cancel";

/** Loaded with the first question. */
const prompts = () => import("@clack/prompts");

/**
 * Lets the user answer, decline or cancel a question. Escape and Ctrl-C cancel.
 *
 * @param message says which server asks, and what
 */
export async function decide(message: string, accept: string, terminal: Terminal): Promise<Decision> {
  const { isCancel, select } = await prompts();
  const answer = await select<Decision>({
    ...terminal,
    message,
    options: [
      { value: "accept", label: accept },
      { value: "decline", label: "Decline" },
      { value: "cancel", label: "Cancel" },
    ],
  });
  return isCancel(answer) ? "cancel" : answer;
}

/**
 * Asks for each field in turn.
 *
 * @returns undefined where the questions are left with Escape or Ctrl-C
 */
export async function fillIn(
  fields: readonly FormField[],
  terminal: Terminal,
): Promise<JsonObject | undefined> {
  const content: [string, JsonValue][] = [];
  for (const field of fields) {
    const answer = await askField(field, terminal);
    if (answer === left) return undefined;
    if (answer !== skipped) content.push([field.name, answer]);
  }
  return Object.fromEntries(content);
}

const left = Symbol("left");
const skipped = Symbol("skipped");
type FieldAnswer = JsonValue | typeof left | typeof skipped;

function askField(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  if (field.kind === "choice" || field.kind === "boolean") return askChoice(field, terminal);
  return field.kind === "choices" ? askChoices(field, terminal) : askText(field, terminal);
}

function messageOf({ title, description, isRequired }: FormField): string {
  const words = description === undefined ? title : `${title}: ${description}`;
  return printable(isRequired ? words : `${words} (optional)`);
}

async function askText(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  const { isCancel, text } = await prompts();
  const { fallback, isRequired } = field;
  const validate = (typed: string | undefined): string | undefined => {
    if ((typed ?? "") === "" && !isRequired) return undefined;
    const fault = field.fault(readAs(field, typed ?? ""));
    return fault === undefined ? undefined : `expected ${printable(fault)}`;
  };
  const initialValue = fallback === undefined ? "" : printable(String(fallback));
  const typed = await text({ ...terminal, message: messageOf(field), initialValue, validate });
  if (isCancel(typed)) return left;
  return (typed ?? "") === "" && !isRequired ? skipped : readAs(field, typed ?? "");
}

/** Lets the user choose one of several values, or none if the field is optional. */
async function askChoice(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  const { isCancel, select } = await prompts();
  const choices =
    field.kind === "boolean"
      ? [
          { value: true, label: "yes" },
          { value: false, label: "no" },
        ]
      : field.choices;
  // The library compares values: the index of each stands for it.
  const options = choices.map(({ label }, value) => ({ value, label: printable(label) }));
  const none = { value: -1, label: "(no answer)" };
  const chosen = choices.findIndex(({ value }) => value === field.fallback);
  const answer = await select<number>({
    ...terminal,
    message: messageOf(field),
    options: field.isRequired ? options : [...options, none],
    ...(chosen >= 0 && { initialValue: chosen }),
  });
  if (isCancel(answer)) return left;
  return answer < 0 ? skipped : choices[answer]!.value;
}

async function askChoices(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  const { isCancel, multiselect, log } = await prompts();
  const options = field.choices.map(({ label }, value) => ({ value, label: printable(label) }));
  const proposed = Array.isArray(field.fallback) ? field.fallback : [];
  const initialValues = field.choices.flatMap(({ value }, index) =>
    proposed.includes(value) ? [index] : [],
  );
  for (;;) {
    const chosen = await multiselect<number>({
      ...terminal,
      message: messageOf(field),
      options,
      initialValues,
      required: false,
    });
    if (isCancel(chosen)) return left;
    if (chosen.length === 0 && !field.isRequired) return skipped;
    const values = chosen.map((index) => field.choices[index]!.value);
    const fault = field.fault(values);
    if (fault === undefined) return values;
    log.error(`expected ${printable(fault)}`, { output: terminal.output });
  }
}
