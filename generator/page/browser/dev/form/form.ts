import { button, element, newId } from "../dom.js";
import type { Issue, Json, Members } from "../messages.js";
import { nameText, visible } from "../text.js";
import type { ValueControl } from "./control.js";
import { controlOf } from "./fields.js";
import { membersControl } from "./group.js";
import { type JsonProblem, jsonProblem } from "./json-problem.js";

/** The text of the JSON editor is no object. */
export class NoObject extends Error {}

/** A form made from the schema of an object, and an editor for the same value as JSON. */
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

  /** @throws NoObject the text of the editor is no JSON object; its place is shown */
  read(): Members {
    if (!this.#isJson) return (this.#fields!.read() ?? {}) as Members;
    const problem = this.#checkText();
    if (!problem) return JSON.parse(this.#text.value) as Members;
    this.#text.focus();
    throw new NoObject(problem.message);
  }

  /** Shows issues beside the fields that they are about, the others below the form. */
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

/** An issue below the place of a control names the rest of its place. */
function shown({ pointer, message }: Issue, at: string): string {
  return pointer === at ? message : `${pointer.slice(at.length)} ${message}`;
}

function all(control: ValueControl): ValueControl[] {
  return [control, ...(control.inner ?? []).flatMap(all)];
}

/** The control of a place, or of the nearest place around it. */
function closest(controls: readonly ValueControl[], pointer: string): ValueControl | undefined {
  const around = controls.filter(
    (each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`),
  );
  return around.sort((one, other) => other.pointer.length - one.pointer.length)[0];
}
