import type { Json } from "../messages.js";

/** A part of a form that stands for a value. */
export interface ValueControl {
  readonly element: HTMLElement;
  /** JSON Pointer inside the value of the whole form. */
  readonly pointer: string;
  /** The value; undefined for none. Text that is no value of its kind is returned as it is. */
  read(): Json | undefined;
  /** Shows a value. @returns false where the control cannot show it */
  write(value: Json | undefined): boolean;
  /** The controls inside it. */
  readonly inner?: readonly ValueControl[];
  /** Shows what is wrong with the value. */
  mark(messages: readonly string[]): void;
}

/** What a control is labelled with. */
export interface Labelled {
  readonly pointer: string;
  readonly title: string;
  readonly required: boolean;
  readonly description?: string;
}

export function pointerOf(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
