/** Escapes that are valid with the flag `u`. Any other escape of a character that is not a letter means that character. */
const escapes = /^(?:[\^$\\.*+?()[\]{}|/dDsSwWbBfnrtv0-9]|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f{]|[pP]\{|k<)/;
const ofClasses = /^\\[dDsSwW]/;

/**
 * Rewrites a pattern that is valid only without the flag `u`, which JSON Schema demands, as a valid one: escapes a hyphen
 * beside a class (`[\w-.]`) and a single brace, and removes needless escapes.
 *
 * @returns `undefined` if the pattern has other faults, or is valid
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
