import type { Json } from "../messages.js";

/** A part of a form that represents a value. */
export interface ValueControl {
  readonly element: HTMLElement;
  /** JSON Pointer of the value within the form's value. */
  readonly pointer: string;
  /**
   * Returns the value; undefined if the user has given none. Text that does not convert to the value's type is
   * returned as text.
   *
   * @param isNeeded whether an untouched box is false, and an untouched list or object empty
   */
  read(isNeeded: boolean): Json | undefined;
  /** Shows a value. @returns false if the control cannot show it */
  write(value: Json | undefined): boolean;
  /** The nested controls. */
  readonly inner?: readonly ValueControl[];
  /** Shows faults of the value. */
  mark(messages: readonly string[]): void;
}

/** The label of a control. */
export interface Labelled {
  readonly pointer: string;
  readonly title: string;
  readonly required: boolean;
  readonly description?: string;
}

export function pointerOf(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
