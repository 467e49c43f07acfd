import type { Json } from "../messages.js";
import { button, element, newId } from "../dom.js";
import { nameText, prose, shortText } from "../text.js";
import type { Labelled, ValueControl } from "./control.js";
import type { Choice, Control, TextControl } from "./fields.js";

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The conversion between an input's text and a value. */
interface Entry {
  /** The present input: a line may become an area. */
  readonly input: Input;
  /** Elements below the input. */
  readonly below?: readonly HTMLElement[];
  /** Offers the empty text as a value, if the value is missing. */
  readonly offerEmpty?: (isMissing: boolean) => void;
  readonly read: () => Json | undefined;
  readonly write: (value: Json | undefined) => boolean;
}

/** Types of inputs by format. */
const types: Readonly<Record<string, string>> = { date: "date", time: "time", email: "email", uri: "url" };

const formatExamples: Readonly<Record<string, string>> = {
  "date-time": "2030-12-31T12:00:00Z",
  uri: "https://example.com",
  email: "ada@example.com",
};

/** Creates an input with label, description and a place for messages. */
export function inputControl(control: Control, labelled: Labelled): ValueControl {
  const { pointer, title, required, description } = labelled;
  const [id, hint, message] = [newId("field"), newId("hint"), newId("message")];
  const entry = entryOf(control, required);
  const { input, below = [], read, write } = entry;
  input.id = id;
  if (required) input.setAttribute("aria-required", "true");
  const described = [...(description === undefined ? [] : [hint]), message].join(" ");
  input.setAttribute("aria-describedby", described);
  const label = element("label", { for: id }, nameText(title), markOf(required), formatOf(control));
  const said = description !== undefined && element("div", { class: "soft", id: hint }, prose(description));
  const place = element("p", { class: "fault", id: message });
  const isBox = control.kind === "boolean";
  const mark = (messages: readonly string[]): void => {
    const isMissing = messages.length > 0 && read() === undefined;
    place.textContent = isMissing ? "required, and left empty" : shortText(messages.join("; "), 500);
    if (messages.length > 0) entry.input.setAttribute("aria-invalid", "true");
    else entry.input.removeAttribute("aria-invalid");
    entry.offerEmpty?.(isMissing);
  };
  const field = element(
    "div",
    { class: isBox ? "field box" : "field" },
    ...(isBox ? [input, label] : [label, input]),
    said,
    place,
    ...below,
  );
  // A fault of the previous value does not apply to the new one.
  field.addEventListener("input", () => mark([]));
  return { element: field, pointer, read, write, mark };
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
      return textInput(control);
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

/**
 * An input for a text. Left empty it has no value, unless the user chooses the empty text. Enter sends a text of
 * one line; Shift+Enter and values of more lines make the line an area.
 */
function textInput({ format, least = 0, examples = [] }: TextControl): Entry {
  const type = format === undefined ? "text" : (types[format] ?? "text");
  const placeholder = format === undefined ? undefined : formatExamples[format];
  const given = { placeholder, autocomplete: "off", spellcheck: "false" };
  const line = element("input", { type, ...given, title: type === "text" && "Shift+Enter: a new line" });
  let input: HTMLInputElement | HTMLTextAreaElement = line;
  const isEmpty = (): boolean => empty.ariaPressed === "true";
  const chooseEmpty = (is: boolean): void => {
    empty.ariaPressed = String(is);
    empty.hidden = !is;
  };
  const empty = button(
    "Send an empty text",
    () => {
      chooseEmpty(!isEmpty());
      if (!isEmpty()) input.focus();
      empty.dispatchEvent(new Event("input", { bubbles: true }));
    },
    { class: "more", "aria-pressed": false, hidden: true },
  );
  line.addEventListener("input", () => chooseEmpty(false));
  const grow = (): void => {
    if (input !== line) return;
    const area = element("textarea", { rows: 1 });
    for (const { name, value } of line.attributes)
      if (!["type", "title", "list"].includes(name)) area.setAttribute(name, value);
    area.value = line.value;
    area.addEventListener("input", () => chooseEmpty(false));
    input = area;
    const [start, end] = [line.selectionStart ?? 0, line.selectionEnd ?? 0];
    const isFocused = document.activeElement === line;
    line.replaceWith(area);
    if (!isFocused) return;
    area.focus();
    area.setSelectionRange(start, end);
  };
  /** Inserts at the caret what a line cannot hold. */
  const insert = (event: Event, text: string): void => {
    event.preventDefault();
    grow();
    input.setRangeText(text, input.selectionStart!, input.selectionEnd!, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  if (type === "text") {
    line.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.shiftKey && !event.isComposing) insert(event, "\n");
    });
    line.addEventListener("beforeinput", (event) => {
      if (event.data?.includes("\n") === true) insert(event, event.data);
    });
  }
  const list = element(
    "datalist",
    { id: newId("examples") },
    ...examples.map((value) => element("option", { value })),
  );
  if (examples.length > 0) line.setAttribute("list", list.id);
  return {
    get input() {
      return input;
    },
    below: examples.length > 0 ? [empty, list] : [empty],
    offerEmpty: (isMissing) => {
      if (!isEmpty()) empty.hidden = !isMissing || format !== undefined || least > 0;
    },
    read: () => (input.value === "" && !isEmpty() ? undefined : input.value),
    write: (value) => {
      if (typeof value === "string" && type === "text" && value.includes("\n")) grow();
      input.value = typeof value === "string" ? value : "";
      chooseEmpty(value === "");
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
