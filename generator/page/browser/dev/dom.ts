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

/** The element with an id in the page's markup. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

let count = 0;

/** A new unique id. */
export function newId(prefix: string): string {
  return `${prefix}-${++count}`;
}
