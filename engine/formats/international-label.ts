/** RFC 5892, section 2.6: characters that are allowed, or refused, regardless of their category. */
const allowedExceptions = /[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]/u;
const refusedExceptions = /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]/u;
/** Characters that are allowed only beside certain characters. */
const contextual = /[\u00b7\u0375\u05f3\u05f4\u0660-\u0669\u06f0-\u06f9\u30fb]|\u200c|\u200d/u;

/** Whether a label that is not ASCII is valid (RFC 5891, section 4.2.3; RFC 5892). */
export function isInternationalLabel(label: string): boolean {
  if (/^-|-$|^..--/u.test(label) || /^\p{M}/u.test(label)) return false;
  const characters = [...label];
  return characters.every((character, index) =>
    contextual.test(character) ? fitsContext(character, characters, index) : isAllowed(character),
  );
}

/** Whether a character is allowed by its category (RFC 5892, section 3). */
function isAllowed(character: string): boolean {
  if (refusedExceptions.test(character)) return false;
  if (allowedExceptions.test(character) || character === "-") return true;
  if (!/[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]/u.test(character)) return false;
  const folded = character.normalize("NFKC").toLowerCase().normalize("NFKC");
  return folded === character.normalize("NFC") && !/\p{Default_Ignorable_Code_Point}/u.test(character);
}

/** Whether a contextual character is allowed at its place (RFC 5892, appendix A). */
function fitsContext(character: string, all: readonly string[], index: number): boolean {
  const before = all[index - 1] ?? "";
  const after = all[index + 1] ?? "";
  switch (character) {
    case "\u00b7":
      return before === "l" && after === "l";
    case "\u0375":
      return /^\p{Script=Greek}$/u.test(after);
    case "\u05f3":
    case "\u05f4":
      return /^\p{Script=Hebrew}$/u.test(before);
    case "\u30fb":
      return all.some(
        (each) => each !== character && /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(each),
      );
    case "\u200c":
      return isVirama(before) || joins(all, index);
    case "\u200d":
      return isVirama(before);
    default: {
      const others = character < "\u06f0" ? /[\u06f0-\u06f9]/ : /[\u0660-\u0669]/;
      return !all.some((each) => others.test(each));
    }
  }
}

/** Whether a character has the combining class Virama. */
function isVirama(character: string): boolean {
  return /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed]/.test(
    character,
  );
}

/** Whether a character stands between joining letters, in scripts that have them (RFC 5892, appendix A.1). */
function joins(all: readonly string[], index: number): boolean {
  const joining = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Mandaic}]/u;
  const letter = (step: number): string => {
    let at = index + step;
    while (/^\p{Mn}$/u.test(all[at] ?? "")) at += step;
    return all[at] ?? "";
  };
  return joining.test(letter(-1)) && joining.test(letter(1));
}

/** Letters of right-to-left scripts, and the digits that occur only in right-to-left texts. */
const rightToLeft =
  /[\u0590-\u05ff\u0600-\u065f\u0660-\u0669\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function isRightToLeft(label: string): boolean {
  return rightToLeft.test(label);
}

/**
 * Whether a label obeys the rule for right-to-left labels (RFC 5893, section 2). Covers the characters that
 * labels may contain; two Arabic signs count as letters.
 */
export function hasBidiOrder(label: string): boolean {
  const first = /^[\p{L}\u06fd\u06fe]/u.exec(label)?.[0];
  const hasEnd = /[\p{L}\p{Nd}\u06fd\u06fe]$/u.test(label.replace(/\p{Mn}+$/u, ""));
  if (first === undefined || !hasEnd) return false;
  if (!isRightToLeft(first)) return !isRightToLeft(label.replace(/\p{Mn}/gu, ""));
  const mixed = /[\d\u06f0-\u06f9]/.test(label) && /[\u0660-\u0669]/.test(label);
  return !mixed && ![...label].some((character) => /\p{L}/u.test(character) && !isRightToLeft(character));
}
