import { isIpv4, isIpv6, isUuid } from "./address.js";
import { isEmail, isIdnEmail } from "./email.js";
import { isHostname, isIdnHostname } from "./hostname.js";
import { isJsonPointer, isRelativeJsonPointer } from "./pointer.js";
import { isDate, isDateTime, isDuration, isTime } from "./time.js";
import { isIri, isIriReference, isUri, isUriReference, isUriTemplate } from "./uri.js";

/**
 * Checks of the formats of JSON Schema 2020-12 (validation, section 7.3), by name. The time of a check depends
 * only on the length of the text. All other formats are annotations.
 */
export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date-time", isDateTime],
  ["date", isDate],
  ["time", isTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["idn-email", isIdnEmail],
  ["hostname", isHostname],
  ["idn-hostname", isIdnHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["uri", isUri],
  ["uri-reference", isUriReference],
  ["iri", isIri],
  ["iri-reference", isIriReference],
  ["uri-template", isUriTemplate],
  ["json-pointer", isJsonPointer],
  ["relative-json-pointer", isRelativeJsonPointer],
  ["regex", isRegex],
  ["uuid", isUuid],
]);

/**
 * `regex`: a regular expression of ECMA-262, read with the `u` flag. The length is limited so that reading takes
 * less than a second.
 */
export function isRegex(text: string): boolean {
  if (text.length > 1_000_000) return false;
  try {
    void new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
