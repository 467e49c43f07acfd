/**
 * Text with possible line breaks, laid out by prettier's rules (Wadler's algorithm), so that emitted code
 * needs no formatting. Has only the shapes that emitters need.
 */
export type Layout =
  | string
  | readonly Layout[]
  | { readonly kind: "group"; readonly of: Layout }
  | { readonly kind: "indent"; readonly of: Layout }
  | { readonly kind: "line"; readonly flat: string; readonly hard: boolean }
  | { readonly kind: "broken"; readonly text: string }
  /**
   * A space and the content. If that does not fit up to its first possible break, a new line with the content
   * indented.
   */
  | { readonly kind: "assigned"; readonly of: Layout }
  /** The short form if it fits on the line, else the long one. */
  | { readonly kind: "choice"; readonly short: Layout; readonly long: Layout };

/** Maximum line width of generated code, as in this project. */
export const width = 110;

/** A space, or a line break if the surrounding group does not fit. */
export const line: Layout = { kind: "line", flat: " ", hard: false };
/** Nothing, or a line break if the surrounding group does not fit. */
export const softline: Layout = { kind: "line", flat: "", hard: false };
/** A line break in any case. */
export const hardline: Layout = { kind: "line", flat: "", hard: true };

/** Content whose line breaks are either all used or none. */
export function group(...of: readonly Layout[]): Layout {
  return { kind: "group", of };
}

export function indent(...of: readonly Layout[]): Layout {
  return { kind: "indent", of };
}

/** `text` only if the surrounding group is broken. */
export function whenBroken(text: string): Layout {
  return { kind: "broken", text };
}

/** A call after `=`: breaks its arguments rather than the line after `=`. */
export function assigned(call: Layout): Layout {
  return { kind: "assigned", of: call };
}

export function join(separator: Layout, parts: readonly Layout[]): Layout[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

/** The text of `layout` on one line, however long. */
export function flat(layout: Layout): string {
  if (typeof layout === "string") return layout;
  if (isSequence(layout)) {
    let text = "";
    for (const part of layout) text += flat(part);
    return text;
  }
  switch (layout.kind) {
    case "line":
      return layout.flat;
    case "broken":
      return "";
    case "assigned":
      return " " + flat(layout.of);
    default:
      return flat(layout.kind === "choice" ? layout.short : layout.of);
  }
}

/** `layout` with every occurrence of `from` in its text replaced by `to`. */
export function withText(layout: Layout, from: string, to: string): Layout {
  if (typeof layout === "string") return layout.replaceAll(from, to);
  if (isSequence(layout)) return layout.map((part) => withText(part, from, to));
  if (layout.kind === "group" || layout.kind === "indent" || layout.kind === "assigned")
    return { ...layout, of: withText(layout.of, from, to) };
  return layout;
}

interface Piece {
  readonly of: Layout;
  readonly depth: number;
  readonly flat: boolean;
}

/** The text of `layout`. */
export function print(layout: Layout): string {
  const pending: Piece[] = [{ of: layout, depth: 0, flat: false }];
  let text = "";
  let column = 0;
  while (pending.length > 0) {
    const piece = pending.pop()!;
    const { of, depth, flat } = piece;
    if (typeof of === "string") {
      text += of;
      column += of.length;
    } else if (isSequence(of)) {
      for (let i = of.length - 1; i >= 0; i--) pending.push({ of: of[i]!, depth, flat });
    } else if (of.kind === "indent") {
      pending.push({ of: of.of, depth: depth + 1, flat });
    } else if (of.kind === "group") {
      const whole = { of: of.of, depth, flat: true };
      pending.push(flat || fits(whole, pending, width - column) ? whole : { of: of.of, depth, flat: false });
    } else if (of.kind === "assigned") {
      const same = { of: [" ", of.of], depth, flat };
      pending.push(fits(same, pending, width - column) ? same : { of: indent(line, of.of), depth, flat });
    } else if (of.kind === "broken") {
      if (!flat) pending.push({ of: of.text, depth, flat });
    } else if (of.kind === "choice") {
      const short = { of: of.short, depth, flat: true };
      pending.push(fits(short, pending, width - column) ? short : { of: of.long, depth, flat });
    } else if (flat && !of.hard) {
      text += of.flat;
      column += of.flat.length;
    } else {
      text += "\n" + "  ".repeat(depth);
      column = depth * 2;
    }
  }
  return text;
}

/** Whether `first` and the following content, up to the first possible line break, fit into `room`. */
function fits(first: Piece, rest: readonly Piece[], room: number): boolean {
  const pending = [first];
  let next = rest.length;
  let left = room;
  while (left >= 0) {
    const piece = pending.pop() ?? rest[--next];
    if (!piece) return true;
    const { of, depth, flat } = piece;
    if (typeof of === "string") left -= of.length;
    else if (isSequence(of))
      for (let i = of.length - 1; i >= 0; i--) pending.push({ of: of[i]!, depth, flat });
    else if (of.kind === "line") {
      if (!flat || of.hard) return true;
      left -= of.flat.length;
    } else if (of.kind === "broken") {
      if (!flat) left -= of.text.length;
    } else if (of.kind === "assigned") pending.push({ of: [" ", of.of], depth, flat });
    else pending.push({ of: of.kind === "choice" ? of.short : of.of, depth, flat });
  }
  return false;
}

function isSequence(layout: Layout): layout is readonly Layout[] {
  return Array.isArray(layout);
}
