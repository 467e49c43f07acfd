import { isIpv6 } from "./address.js";

// Each pattern looks for one forbidden character. No pattern repeats more than one character, so that long
// texts neither take long nor exhaust the matcher's stack.
const notUri = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/;
/** RFC 3987, section 2.2: `ucschar` in addition to the characters of URIs. */
const notIri =
  /[^\w\-.~:/?#[\]@!$&'()*+,;=%\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\u{10000}-\u{1fffd}\u{20000}-\u{2fffd}\u{30000}-\u{3fffd}\u{40000}-\u{4fffd}\u{50000}-\u{5fffd}\u{60000}-\u{6fffd}\u{70000}-\u{7fffd}\u{80000}-\u{8fffd}\u{90000}-\u{9fffd}\u{a0000}-\u{afffd}\u{b0000}-\u{bfffd}\u{c0000}-\u{cfffd}\u{d0000}-\u{dfffd}\u{e1000}-\u{efffd}]/u;
const privateUse = /[\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]/gu;
const badEscape = /%(?![0-9A-Fa-f]{2})/;
const brackets = /[[\]]/;

/** `uri` of RFC 3986, section 3. */
export function isUri(text: string): boolean {
  return schemeOf(text) !== "" && isReference(text, notUri);
}

/** `uri-reference` of RFC 3986, section 4.1. */
export function isUriReference(text: string): boolean {
  return isReference(text, notUri);
}

/** `iri` of RFC 3987, section 2.2. */
export function isIri(text: string): boolean {
  return schemeOf(text) !== "" && isIriReference(text);
}

/** `iri-reference` of RFC 3987, section 2.2. */
export function isIriReference(text: string): boolean {
  // Private-use characters are valid only in queries.
  const query = /\?[^#]*/.exec(text)?.[0] ?? "";
  return isReference(
    privateUse.test(query) ? text.replace(query, query.replace(privateUse, "")) : text,
    notIri,
  );
}

function schemeOf(text: string): string {
  return /^[A-Za-z][A-Za-z\d+.-]*:/.exec(text)?.[0] ?? "";
}

function isReference(text: string, unknown: RegExp): boolean {
  if (unknown.test(text) || badEscape.test(text)) return false;
  const [beforeFragment, fragment] = split(text, "#");
  if (/[#[\]]/.test(fragment)) return false;
  const [hierarchy, query] = split(beforeFragment, "?");
  if (brackets.test(query)) return false;
  const scheme = schemeOf(hierarchy);
  let path = hierarchy.slice(scheme.length);
  if (path.startsWith("//")) {
    const end = path.indexOf("/", 2);
    if (!isAuthority(end < 0 ? path.slice(2) : path.slice(2, end))) return false;
    path = end < 0 ? "" : path.slice(end);
  } else if (scheme === "" && split(path, "/")[0].includes(":")) return false;
  return !brackets.test(path);
}

/** Whether a text is an authority (RFC 3986, section 3.2). */
function isAuthority(text: string): boolean {
  const at = text.indexOf("@");
  if (at >= 0 && brackets.test(text.slice(0, at))) return false;
  const host = text.slice(at + 1);
  if (host.includes("@")) return false;
  const literal = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1];
  if (literal !== undefined)
    return isIpv6(literal) || /^[Vv][0-9A-Fa-f]+\.[\w\-.~!$&'()*+,;=:]+$/.test(literal);
  const [name, port] = split(host, ":");
  return !brackets.test(name) && !/\D/.test(port);
}

/** Splits a text at the first separator. */
function split(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

/** `uri-template` of RFC 6570, section 2. */
export function isUriTemplate(text: string): boolean {
  let position = 0;
  while (position < text.length) {
    const open = text.indexOf("{", position);
    const literal = text.slice(position, open < 0 ? text.length : open);
    // Section 2.1, with the apostrophe that erratum 6937 allows.
    if (/[\u0000- "<>\\^`{|}\u007f-\u009f]/.test(literal) || badEscape.test(literal)) return false;
    if (open < 0) return true;
    const close = text.indexOf("}", open);
    if (close < 0 || !isExpression(text.slice(open + 1, close))) return false;
    position = close + 1;
  }
  return true;
}

function isExpression(text: string): boolean {
  if (/^[+#./;?&]?\w+$/.test(text)) return true;
  const variables = /^[+#./;?&=,!@|]/.test(text) ? text.slice(1) : text;
  return variables.split(",").every((variable) => {
    const name = variable.replace(/(?:\*|:[1-9]\d{0,3})$/, "");
    return (
      name !== "" &&
      name.split(".").every((part) => part !== "" && !/[^\w%]/.test(part)) &&
      !badEscape.test(name)
    );
  });
}
