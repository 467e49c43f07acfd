/** A child of an element: a node or text. Text is never parsed as markup. */
export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Creates an element with attributes and children. `true` sets an empty attribute; `false` and `undefined`
 * set none.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : String(value));
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

export function button(
  label: Child,
  pressed: (event: MouseEvent) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", pressed);
  return made;
}

/**
 * A form that is sent by a submit button, by Enter in a field of one line, as browsers do, and by Ctrl+Enter or
 * Cmd+Enter in any field; not by a key that belongs to the composition of a character.
 */
export function sentForm(send: () => void, ...children: readonly Child[]): HTMLFormElement {
  const made = element("form", { novalidate: true }, ...children);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  made.addEventListener("keydown", (event) => {
    const isOwn = event.ctrlKey || event.metaKey;
    if (event.key !== "Enter" || !(isOwn || event.isComposing)) return;
    event.preventDefault();
    if (!event.isComposing) made.requestSubmit();
  });
  return made;
}

/** Replaces the children of an element. Sections with the name of one that was open are open, too. */
export function refill(place: Element, ...children: readonly Child[]): void {
  const open = new Set(
    [...place.querySelectorAll<HTMLElement>("details[open]")].map(({ dataset }) => dataset["name"]),
  );
  place.replaceChildren(...children.filter((child) => child !== undefined && child !== false));
  for (const section of place.querySelectorAll<HTMLDetailsElement>("details[data-name]"))
    if (open.has(section.dataset["name"])) section.open = true;
}

/** The element with an id in the page's markup. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

let count = 0;

/** A new unique id. */
export function newId(prefix: string): string {
  return `${prefix}-${++count}`;
}
