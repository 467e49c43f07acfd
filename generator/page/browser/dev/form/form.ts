import { button, element, newId, sentForm } from "../dom.js";
import type { Issue, Json, Members } from "../messages.js";
import { nameText, visible, prose, shortText } from "../text.js";
import { type ValueControl, type Labelled, pointerOf } from "./control.js";
import { type Control, type Field, controlOf } from "./fields.js";
import { type JsonProblem, jsonProblem } from "./json-problem.js";
import { inputControl } from "./input.js";

/** How a form is sent. */
export interface Sending {
  /** The text of the button. */
  readonly verb: string;
  /** Sends the value. @returns issues because of which it was not sent; none if it `isAnyway` */
  readonly send: (value: Members, isAnyway: boolean) => Promise<readonly Issue[]>;
  /** Buttons beside that which sends. */
  readonly others?: readonly HTMLElement[];
}

/**
 * A form for the schema of an object, and a JSON editor for the same value. A value with issues is marked, and sent
 * only on demand.
 */
export class SchemaForm {
  readonly element: HTMLFormElement;
  readonly #fields: ValueControl | undefined;
  readonly #text: HTMLTextAreaElement;
  readonly #problem: HTMLElement;
  readonly #issues = element("ul", { class: "faults" });
  readonly #form: HTMLElement;
  readonly #editor: HTMLElement;
  readonly #tabs: readonly HTMLButtonElement[];
  readonly #status = element("p", { class: "fault", role: "alert" });
  readonly #anyway: HTMLButtonElement;
  readonly #send: Sending["send"];
  #isJson = false;

  /** @param label the name of the value */
  constructor(schema: Json | undefined, label: string, { verb, send, others = [] }: Sending) {
    this.#send = send;
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
      !hasFields && this.#fields !== undefined && element("p", { class: "soft" }, "no arguments"),
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
    this.#anyway = button(`${verb} anyway`, () => void this.#submit(true), { hidden: true });
    this.element = sentForm(
      () => void this.#submit(false),
      hasFields && switches,
      this.#form,
      this.#editor,
      this.#issues,
      this.#status,
      element(
        "div",
        { class: "switches" },
        element("button", { type: "submit", class: "main" }, verb),
        this.#anyway,
        ...others,
      ),
    );
    this.#issues.setAttribute("role", "status");
    this.#text.value = "{}";
    this.#switch(this.#fields === undefined);
  }

  /** Takes over what the user has entered in an earlier form, as far as this one can show it. */
  adopt(earlier: SchemaForm): void {
    if (earlier.#isJson || !this.#fields) {
      this.#text.value = earlier.#isJson ? earlier.#text.value : earlier.#json();
      this.#switch(true);
    } else
      this.#fields.write({ ...(this.#fields.read() as Members), ...(earlier.#fields!.read() as Members) });
  }

  async #submit(isAnyway: boolean): Promise<void> {
    this.#status.textContent = "";
    try {
      const value = this.#read();
      const issues = value && (await this.#send(value, isAnyway));
      if (issues) this.#mark(issues);
      this.#anyway.hidden = !issues || issues.length === 0;
      if (!issues) this.#status.textContent = "Not sent: correct the JSON.";
      else if (issues.length > 0)
        this.#status.textContent = `Not sent: ${issues.length} ${issues.length === 1 ? "issue" : "issues"} by the schema.`;
    } catch (error) {
      this.#status.textContent = visible(String((error as Error).message));
    }
  }

  /** The value; undefined if the editor's text is not a JSON object, whose fault is shown. */
  #read(): Members | undefined {
    if (!this.#isJson) return (this.#fields!.read() ?? {}) as Members;
    if (!this.#checkText()) return JSON.parse(this.#text.value) as Members;
    this.#text.focus();
    return undefined;
  }

  #json(): string {
    return JSON.stringify(this.#fields!.read() ?? {}, undefined, 2);
  }

  /** Shows issues beside the fields concerned, and the others below the form. */
  #mark(issues: readonly Issue[]): void {
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
    const first = controls.find((control) => byControl.has(control));
    first?.element.querySelector<HTMLElement>("input, textarea, select, button")?.focus();
  }

  #show(isJson: boolean): void {
    if (isJson === this.#isJson) return;
    if (isJson) this.#text.value = this.#json();
    else if (this.#checkText()) return this.#text.focus();
    else if (!this.#fields!.write(JSON.parse(this.#text.value) as Json)) {
      this.#problem.textContent = "The form has no field for a part of this value: it stays JSON.";
      return;
    }
    this.#mark([]);
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
      description !== undefined && element("div", { class: "soft" }, prose(description)),
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
    const values = rows.filter((each) => each.row !== row).map(({ control }) => control.read());
    fill(values);
    more.focus();
  };
  const fill = (values: readonly (Json | undefined)[]): boolean => {
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
      description !== undefined && element("div", { class: "soft" }, prose(description)),
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
