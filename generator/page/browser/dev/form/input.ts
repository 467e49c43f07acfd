import type { Json } from "../messages.js";
import { element, newId } from "../dom.js";
import { longText, nameText, shortText } from "../text.js";
import type { Labelled, ValueControl } from "./control.js";
import type { Choice, Control } from "./fields.js";

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The conversion between an input's text and a value. */
interface Entry {
  readonly input: Input;
  readonly read: () => Json | undefined;
  readonly write: (value: Json | undefined) => boolean;
}

/** Types of inputs by format. */
const types: Readonly<Record<string, string>> = { date: "date", time: "time", email: "email", uri: "url" };

const examples: Readonly<Record<string, string>> = {
  "date-time": "2030-12-31T12:00:00Z",
  uri: "https://example.com",
  email: "ada@example.com",
};

/** Creates an input with label, description and a place for messages. */
export function inputControl(control: Control, labelled: Labelled): ValueControl {
  const { pointer, title, required, description } = labelled;
  const [id, hint, message] = [newId("field"), newId("hint"), newId("message")];
  const { input, read, write } = entryOf(control, required);
  input.id = id;
  if (required) input.setAttribute("aria-required", "true");
  const described = [...(description === undefined ? [] : [hint]), message].join(" ");
  input.setAttribute("aria-describedby", described);
  const label = element("label", { for: id }, nameText(title), markOf(required), formatOf(control));
  const said =
    description !== undefined && element("div", { class: "soft", id: hint }, longText(description));
  const place = element("p", { class: "fault", id: message });
  const isBox = control.kind === "boolean";
  const mark = (messages: readonly string[]): void => {
    place.textContent = shortText(messages.join("; "), 500);
    if (messages.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  // A fault of the previous value does not apply to the new one.
  input.addEventListener("input", () => mark([]));
  return {
    element: element(
      "div",
      { class: isBox ? "field box" : "field" },
      ...(isBox ? [input, label] : [label, input]),
      said,
      place,
    ),
    ...{ pointer, read, write },
    mark,
  };
}

function markOf(required: boolean): HTMLElement | false {
  return !required && element("span", { class: "soft" }, " (optional)");
}

function formatOf(control: Control): HTMLElement | false {
  const words = control.kind === "text" ? control.format : control.kind === "json" ? "JSON" : control.kind;
  return words !== undefined && element("span", { class: "soft kind" }, ` ${shortText(words, 40)}`);
}

function entryOf(control: Control, required: boolean): Entry {
  switch (control.kind) {
    case "boolean":
      return checkbox(required);
    case "number":
    case "integer":
      return numberInput();
    case "choice":
      return select(control.choices, required);
    case "choices":
      return multipleSelect(control.choices, required);
    case "text":
      return textInput(control.format, required);
    default:
      return jsonInput();
  }
}

/** A checkbox. An untouched optional one has no value. */
function checkbox(required: boolean): Entry {
  const input = element("input", { type: "checkbox" });
  input.indeterminate = !required;
  return {
    input,
    read: () => (input.indeterminate ? undefined : input.checked),
    write: (value) => {
      input.indeterminate = value === undefined && !required;
      input.checked = value === true;
      return value === undefined || typeof value === "boolean";
    },
  };
}

function numberInput(): Entry {
  // Not `type=number`, which discards invalid text and changes with the mouse wheel.
  const input = element("input", { inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
  return {
    input,
    read: () => {
      const text = input.value.trim();
      if (text === "") return undefined;
      return Number.isFinite(Number(text)) ? Number(text) : input.value;
    },
    write: (value) => {
      input.value = typeof value === "number" ? String(value) : "";
      return value === undefined || typeof value === "number";
    },
  };
}

function select(choices: readonly Choice[], required: boolean): Entry {
  const options = choices.map(({ label }, index) => element("option", { value: index }, shortText(label)));
  const none = element("option", { value: "" }, required ? "choose…" : "none");
  const input = element("select", {}, none, ...options);
  return {
    input,
    read: () => (input.value === "" ? undefined : choices[Number(input.value)]!.value),
    write: (value) => {
      const index = choices.findIndex((choice) => isSame(choice.value, value));
      input.value = index < 0 ? "" : String(index);
      return value === undefined || index >= 0;
    },
  };
}

function multipleSelect(choices: readonly Choice[], required: boolean): Entry {
  const options = choices.map(({ label }, index) => element("option", { value: index }, shortText(label)));
  const input = element(
    "select",
    { multiple: true, size: Math.min(8, Math.max(2, choices.length)) },
    ...options,
  );
  return {
    input,
    read: () => {
      const chosen = options.flatMap(({ selected }, index) => (selected ? [choices[index]!.value] : []));
      return chosen.length === 0 && !required ? undefined : chosen;
    },
    write: (value) => {
      const values = Array.isArray(value) ? (value as readonly Json[]) : [];
      for (const [index, option] of options.entries())
        option.selected = values.some((each) => isSame(each, choices[index]!.value));
      const known = (each: Json): boolean => choices.some((choice) => isSame(choice.value, each));
      return value === undefined || (Array.isArray(value) && values.every(known));
    },
  };
}

function textInput(format: string | undefined, required: boolean): Entry {
  const type = format === undefined ? undefined : types[format];
  const placeholder = format === undefined ? undefined : examples[format];
  const given = { placeholder, autocomplete: "off", spellcheck: "false" };
  const input =
    format === undefined
      ? element("textarea", { rows: 1, ...given })
      : element("input", { type: type ?? "text", ...given });
  return {
    input,
    read: () => (input.value === "" && !required ? undefined : input.value),
    write: (value) => {
      input.value = typeof value === "string" ? value : "";
      // Inputs of some types discard values that they cannot show.
      return value === undefined || input.value === value;
    },
  };
}

/** An input for JSON. Invalid text is its own value, so that validation reports the fault. */
function jsonInput(): Entry {
  const input = element("textarea", { rows: 3, class: "code", autocomplete: "off", spellcheck: "false" });
  return {
    input,
    read: () => {
      if (input.value.trim() === "") return undefined;
      try {
        return JSON.parse(input.value) as Json;
      } catch {
        return input.value;
      }
    },
    write: (value) => {
      input.value = value === undefined ? "" : JSON.stringify(value, undefined, 2);
      return true;
    },
  };
}

function isSame(one: Json, other: Json | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
