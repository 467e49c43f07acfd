import { button, element, newId } from "../dom.js";
import type { Json, Members } from "../messages.js";
import { longText, nameText, shortText } from "../text.js";
import { type Labelled, type ValueControl, pointerOf } from "./control.js";
import type { Control, Field } from "./fields.js";
import { inputControl } from "./input.js";

/** The control of a field: an input, a group or a list. */
export function controlFor(control: Control, labelled: Labelled): ValueControl {
  if (control.kind === "group") return groupControl(control.fields, labelled);
  if (control.kind === "list") return listControl(control.item, labelled);
  return inputControl(control, labelled);
}

/** The members of an object, one below the other. */
export function membersControl(fields: readonly Field[], pointer: string, required: boolean): ValueControl {
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

/** Rows of a list. */
const mostRows = 200;

/** Values one after the other, with buttons that add and remove them. */
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

/** An object whose members may have any name, `__proto__` too. */
function ownMembers(entries: readonly (readonly [string, Json])[]): Members {
  return Object.fromEntries(entries);
}
