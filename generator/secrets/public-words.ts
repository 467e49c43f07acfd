import { type Piece, readWords } from "./secrets.js";

/**
 * The words for a page, which strangers read: only those that are certainly harmless.
 *
 * @param substitute returns the text that stands for the value of `name`
 */
export function publicWords(words: readonly string[], substitute = (_name: string): string => "…"): string[] {
  const shown = ({ text, name, role }: Piece): string => {
    if (role === "syntax" || text === "") return text;
    if (role === "label") return isHarmless(text.replace(/[A-Z]{2,20}/g, "x"), "") ? text : substitute(name);
    if (role !== "open") return substitute(name);
    // The separators of a path stay, and so do its parts that are names.
    const parts = /^(?:[/~\\]|\.{1,2}[/\\]|[a-z]:[\\/])/i.test(text) ? text.split(/([/\\])/) : [text];
    return parts.map((part) => (isHarmless(part, name) ? part : substitute(name))).join("");
  };
  return readWords(words).map((pieces) => pieces.map(shown).join(""));
}

/** Whether a text is the name of an option, a package, a file or a host, a number, or short words. */
function isHarmless(text: string, name: string): boolean {
  if (/^-[^-]/.test(text)) return /^-[a-z]{1,3}$/i.test(text);
  // Often the password, the user or the key.
  if (/^-[pku]$/i.test(name)) return /^[\d.:]{1,21}$/.test(text);
  if (!/^[\w.:@/~,[\]\\-]*$/.test(text)) return false;
  const parts = text.split(/[^A-Za-z\d]+/).filter((part) => part !== "");
  const isName = (part: string): boolean =>
    /^(?:[A-Z]?[a-z]{1,20}(?:[A-Z][a-z]{2,20}){0,3}\d{0,2}|[A-Z]|\d{1,6})$/.test(part);
  return parts.every(isName) && parts.filter((part) => /[a-z]\d/i.test(part)).length <= 2;
}
