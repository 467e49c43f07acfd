/** Escapes that a pattern may have with the flag `u`; others stand for the character without it, where that is no letter. */
const escapes = /^(?:[\^$\\.*+?()[\]{}|/dDsSwWbBfnrtv0-9]|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f{]|[pP]\{|k<)/;
const ofClasses = /^\\[dDsSwW]/;

/**
 * A pattern as the flag `u` takes it, which JSON Schema asks for, if it is one without the flag: a hyphen beside a class
 * (`[\w-.]`) and a brace alone get an escape, an escape that means nothing goes.
 *
 * @returns nothing if that is not all that is wrong
 */
export function strictForm(pattern: string): string | undefined {
  let written = "";
  let isInClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const rest = pattern.slice(index);
    const [character] = rest as unknown as [string];
    if (character === "\\") {
      const escaped = rest.slice(1, 2);
      const isKept = escapes.test(rest.slice(1)) || (isInClass && escaped === "-");
      if (!isKept && /[a-z]/i.test(escaped)) return undefined;
      written += isKept ? rest.slice(0, 2) : escaped;
      index++;
    } else if (isInClass) {
      const isBeside = ofClasses.test(written.slice(-2)) || ofClasses.test(rest.slice(1));
      const isRange = character === "-" && !/\[\^?$/.test(written) && rest[1] !== "]";
      written += isRange && isBeside ? "\\-" : character;
      isInClass = character !== "]";
    } else {
      isInClass = character === "[";
      const quantifier = /^\{\d+(?:,\d*)?\}/.exec(rest)?.[0];
      written += quantifier ?? (/[\]{}]/.test(character) ? `\\${character}` : character);
      index += (quantifier?.length ?? 1) - 1;
    }
  }
  return written !== pattern && isPattern(written, "u") && isPattern(pattern, "") ? written : undefined;
}

function isPattern(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
