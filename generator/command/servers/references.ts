/** A part of a text of a host's configuration: a text as it is, or the content of a `${…}`. */
type Part = { readonly text: string } | { readonly reference: string };

/**
 * Splits a text at its references. A `${…}` ends at its own brace: its content may hold others, as in `${A:-${B}}`. What is
 * never closed is text.
 */
export function referencesIn(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (let start = text.indexOf("${"); start >= 0; start = text.indexOf("${", end)) {
    const close = closingBrace(text, start + 2);
    if (close === undefined) break;
    if (start > end) parts.push({ text: text.slice(end, start) });
    parts.push({ reference: text.slice(start + 2, close) });
    end = close + 1;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** The index of the brace that closes what opens before `from`. */
function closingBrace(text: string, from: number): number | undefined {
  const marks = /\$\{|\}/g;
  marks.lastIndex = from;
  let open = 1;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    open += mark[0] === "}" ? -1 : 1;
    if (open === 0) return mark.index;
  }
  return undefined;
}
