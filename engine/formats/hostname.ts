import { decodePunycode, encodePunycode } from "./punycode.js";
import { hasBidiOrder, isInternationalLabel, isRightToLeft } from "./international-label.js";

/** `hostname` of RFC 1123, section 2.1. Punycode labels must decode to valid labels (RFC 5891, section 4.4). */
export function isHostname(text: string): boolean {
  return text.length <= 253 && areLabels(text.split("."), false);
}

/** `idn-hostname` of RFC 5890, section 2.3.2.3. */
export function isIdnHostname(text: string): boolean {
  // A fast bound: a label's ASCII form has at least as many code units as the label.
  return text.length <= 253 && areLabels(text.split(/[.\u3002\uff0e\uff61]/), true);
}

function areLabels(labels: readonly string[], international: boolean): boolean {
  const unicode = labels.map((label) => unicodeLabel(label, international));
  if (unicode.includes(undefined)) return false;
  const length = labels.reduce((sum, label) => sum + 1 + asciiLength(label), -1);
  if (length > 253) return false;
  // If one label is right-to-left, the rule for such labels applies to all labels (RFC 5893, section 2).
  return !unicode.some((label) => isRightToLeft(label!)) || unicode.every((label) => hasBidiOrder(label!));
}

function asciiLength(label: string): number {
  return /^[\u0000-\u007f]*$/.test(label) ? label.length : 4 + encodePunycode(codePoints(label)).length;
}

function codePoints(text: string): number[] {
  return [...text].map((character) => character.codePointAt(0)!);
}

/** The Unicode form of a label; `undefined` if the label is invalid. */
function unicodeLabel(label: string, international: boolean): string | undefined {
  if (label.length > 63) return undefined;
  if (!/^[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?$/.test(label)) {
    const isLabel = international && !/^[\u0000-\u007f]*$/.test(label) && asciiLength(label) <= 63;
    return isLabel && isInternationalLabel(label) ? label : undefined;
  }
  if (!/^xn--/i.test(label)) return label;
  const decoded = decodePunycode(label.slice(4));
  if (!decoded?.some((code) => code >= 128)) return undefined;
  const text = String.fromCodePoint(...decoded);
  const canonical = encodePunycode(decoded).toLowerCase() === label.slice(4).toLowerCase();
  return canonical && isInternationalLabel(text) ? text : undefined;
}
