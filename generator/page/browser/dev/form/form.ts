import { button, element, newId } from "../dom.js";
import type { Issue, Json, Members } from "../messages.js";
import { nameText, visible, longText, shortText } from "../text.js";
import { type ValueControl, type Labelled, pointerOf } from "./control.js";
import { type Control, type Field, controlOf } from "./fields.js";
import { type JsonProblem, jsonProblem } from "./json-problem.js";
import { inputControl } from "./input.js";

/** Thrown if the text of the JSON editor is not an object. */
export class NoObject extends Error {}

/** A form for the schema of an object, and a JSON editor for the same value. */
export class SchemaForm {
  readonly element: HTMLElement;
  readonly #fields: ValueControl | undefined;
  readonly #text: HTMLTextAreaElement;
  readonly #problem: HTMLElement;
  readonly #issues = element("ul", { class: "faults" });
  readonly #form: HTMLElement;
  readonly #editor: HTMLElement;
  readonly #tabs: readonly HTMLButtonElement[];
  #isJson = false;

  constructor(schema: Json | undefined, label: string) {
    const control = controlOf(schema);
    this.#fields = control.kind === "group" ? membersControl(control.fields, "", true) : undefined;
    const [id, problem] = [newId("json"), newId("problem")];
    const given = { rows: 10, class: "code", spellcheck: "false", autocomplete: "off" };
    this.#text = element("textarea", { id, ...given, "aria-describedby": problem });
    this.#text.addEventListener("input", () => this.#checkText());
    this.#problem = element("p", { class: "fault", id: problem });
    const hasFields = control.kind === "group" && control.fields.length > 0;
    this.#form = element(
      "div",
      {},
      this.#fields?.element ?? "",
      !hasFields && this.#fields !== undefined && "no arguments",
    );
    this.#editor = element(
      "div",
      { class: "field" },
      element("label", { for: id }, `${label} as JSON`),
      this.#text,
      this.#problem,
    );
    this.#tabs = [button("Form", () => this.#show(false)), button("JSON", () => this.#show(true))];
    const switches = element(
      "div",
      { class: "switches", role: "group", "aria-label": "Editor" },
      ...this.#tabs,
    );
    this.element = element(
      "div",
      { class: "form" },
      this.#fields !== undefined && switches,
      this.#form,
      this.#editor,
      this.#issues,
    );
    this.#issues.setAttribute("role", "status");
    this.#text.value = "{}";
    this.#switch(this.#fields === undefined);
  }

  /** @throws NoObject if the editor's text is not a JSON object; the position is shown */
  read(): Members {
    if (!this.#isJson) return (this.#fields!.read() ?? {}) as Members;
    const problem = this.#checkText();
    if (!problem) return JSON.parse(this.#text.value) as Members;
    this.#text.focus();
    throw new NoObject(problem.message);
  }

  /** Shows issues beside the fields concerned, and the others below the form. */
  show(issues: readonly Issue[]): void {
    const controls = this.#isJson || !this.#fields ? [] : all(this.#fields);
    const rest: Issue[] = [];
    const byControl = new Map<ValueControl, string[]>();
    for (const issue of issues) {
      const control = closest(controls, issue.pointer);
      if (!control || control.pointer === "") rest.push(issue);
      else byControl.set(control, [...(byControl.get(control) ?? []), shown(issue, control.pointer)]);
    }
    for (const control of controls) control.mark(byControl.get(control) ?? []);
    this.#issues.replaceChildren(
      ...rest.map(({ pointer, message }) =>
        element(
          "li",
          { class: "fault" },
          element("code", {}, nameText(pointer === "" ? "the value" : pointer)),
          ` ${visible(message)}`,
        ),
      ),
    );
    const [first] = byControl.keys();
    first?.element.querySelector<HTMLElement>("input, textarea, select, button")?.focus();
  }

  #show(isJson: boolean): void {
    if (isJson === this.#isJson) return;
    if (isJson) this.#text.value = JSON.stringify(this.#fields!.read() ?? {}, undefined, 2);
    else if (this.#checkText()) return this.#text.focus();
    else if (!this.#fields!.write(JSON.parse(this.#text.value) as Json)) {
      this.#problem.textContent = "The form has no field for a part of this value: it stays JSON.";
      return;
    }
    this.show([]);
    this.#switch(isJson);
  }

  #switch(isJson: boolean): void {
    this.#isJson = isJson;
    this.#form.hidden = isJson;
    this.#editor.hidden = !isJson;
    for (const [index, tab] of this.#tabs.entries())
      tab.setAttribute("aria-pressed", String((index === 1) === isJson));
    if (isJson) this.#checkText();
  }

  #checkText(): JsonProblem | undefined {
    const problem = jsonProblem(this.#text.value);
    this.#problem.textContent = problem ? visible(problem.message) : "";
    if (problem) this.#text.setAttribute("aria-invalid", "true");
    else this.#text.removeAttribute("aria-invalid");
    return problem;
  }
}

/** The text of an issue; for a place inside a control, with the rest of the pointer. */
function shown({ pointer, message }: Issue, at: string): string {
  return pointer === at ? message : `${pointer.slice(at.length)} ${message}`;
}

function all(control: ValueControl): ValueControl[] {
  return [control, ...(control.inner ?? []).flatMap(all)];
}

/** The control for a place, or for the nearest enclosing place. */
function closest(controls: readonly ValueControl[], pointer: string): ValueControl | undefined {
  const around = controls.filter(
    (each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`),
  );
  return around.sort((one, other) => other.pointer.length - one.pointer.length)[0];
}

/** Creates the control of a field: an input, a group or a list. */
function controlFor(control: Control, labelled: Labelled): ValueControl {
  if (control.kind === "group") return groupControl(control.fields, labelled);
  if (control.kind === "list") return listControl(control.item, labelled);
  return inputControl(control, labelled);
}

/** Creates controls for the members of an object, one below the other. */
function membersControl(fields: readonly Field[], pointer: string, required: boolean): ValueControl {
  const controls = fields.map(({ name, title, description, required: isRequired, initial, control }) => {
    const made = controlFor(control, {
      ...{ pointer: pointerOf(pointer, name), title, required: isRequired },
      ...(description !== undefined && { description }),
    });
    if (initial !== undefined) made.write(initial);
    return made;
  });
  return {
    element: element("div", {}, ...controls.map((control) => control.element)),
    pointer,
    inner: controls,
    read: () => {
      const entries = controls.flatMap((control, index): [string, Json][] => {
        const value = control.read();
        return value === undefined ? [] : [[fields[index]!.name, value]];
      });
      return entries.length === 0 && !required ? undefined : ownMembers(entries);
    },
    write: (value) => {
      const members = membersOf(value);
      const fits = controls.map((control, index) => control.write(members?.[fields[index]!.name]));
      const isKnown = Object.keys(members ?? {}).every((name) => fields.some((field) => field.name === name));
      return fits.every(Boolean) && isKnown && (value === undefined || members !== undefined);
    },
    mark: () => {},
  };
}

function groupControl(
  fields: readonly Field[],
  { pointer, title, required, description }: Labelled,
): ValueControl {
  const members = membersControl(fields, pointer, required);
  const fault = element("p", { class: "fault" });
  const more = !required && element("span", { class: "soft" }, " (optional)");
  return {
    ...members,
    element: element(
      "fieldset",
      {},
      element("legend", {}, nameText(title), more),
      description !== undefined && element("div", { class: "soft" }, longText(description)),
      fault,
      members.element,
    ),
    mark: (messages) => void (fault.textContent = shortText(messages.join("; "), 500)),
  };
}

/** Maximum number of rows in a list. */
const mostRows = 200;

/** Creates a list of values with buttons that add and remove them. */
function listControl(item: Control, { pointer, title, required, description }: Labelled): ValueControl {
  const rows: { readonly control: ValueControl; readonly row: HTMLElement }[] = [];
  const fault = element("p", { class: "fault" });
  const list = element("ol", { class: "rows" });
  const add = (value?: Json): boolean => {
    if (rows.length >= mostRows) return false;
    const control = controlFor(item, {
      ...{ pointer: pointerOf(pointer, rows.length), title: `${title} ${rows.length + 1}`, required: true },
    });
    const row = element("li", {}, control.element);
    row.append(
      button("Remove", () => remove(row), { "aria-label": `Remove one of ${shortText(title, 60)}` }),
    );
    rows.push({ control, row });
    list.append(row);
    return value === undefined || control.write(value);
  };
  const remove = (row: HTMLElement): void => {
    const values = rows.filter((each) => each.row !== row).map(({ control }) => control.read() ?? "");
    fill(values);
    more.focus();
  };
  const fill = (values: readonly Json[]): boolean => {
    rows.length = 0;
    list.replaceChildren();
    return values.map((value) => add(value)).every(Boolean);
  };
  const more = button("Add", () => {
    add();
    rows.at(-1)?.control.element.querySelector<HTMLElement>("input, textarea, select")?.focus();
  });
  more.setAttribute("aria-label", `Add to ${shortText(title, 60)}`);
  const legend = newId("legend");
  return {
    element: element(
      "fieldset",
      { "aria-labelledby": legend },
      element(
        "legend",
        { id: legend },
        nameText(title),
        !required && element("span", { class: "soft" }, " (optional)"),
      ),
      description !== undefined && element("div", { class: "soft" }, longText(description)),
      fault,
      list,
      more,
    ),
    pointer,
    get inner() {
      return rows.map(({ control }) => control);
    },
    read: () =>
      rows.length === 0 && !required ? undefined : rows.map(({ control }) => control.read() ?? ""),
    write: (value) => {
      if (value === undefined || Array.isArray(value)) return fill((value ?? []) as readonly Json[]);
      return false;
    },
    mark: (messages) => void (fault.textContent = shortText(messages.join("; "), 500)),
  };
}

function membersOf(value: Json | undefined): Members | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.assign(Object.create(null) as object, value) as Members;
}

/** Creates an object whose members may have any name, even `__proto__`. */
function ownMembers(entries: readonly (readonly [string, Json])[]): Members {
  return Object.fromEntries(entries);
}
