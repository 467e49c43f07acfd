/** What an element may contain: nodes and text. Text never becomes markup. */
export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with attributes and children. `true` sets an empty attribute, `false` and `undefined` none. */
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

/** The element of the page's markup with an id. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

let count = 0;

/** An id that no other element has. */
export function newId(prefix: string): string {
  return `${prefix}-${++count}`;
}
