import { isIpv4, isIpv6 } from "./address.js";
import { isHostname, isIdnHostname } from "./hostname.js";

/** `email`: Mailbox of RFC 5321, section 4.1.2. */
export function isEmail(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text) && isMailbox(text, isHostname);
}

/** `idn-email`: Mailbox of RFC 6531, section 3.3. */
export function isIdnEmail(text: string): boolean {
  return isMailbox(text, isIdnHostname);
}

function isMailbox(text: string, isDomain: (domain: string) => boolean): boolean {
  const at = text.lastIndexOf("@");
  // No local part is longer than 64 octets, no domain than 255 (section 4.5.3.1).
  if (at < 1 || at > 64 || text.length > 320) return false;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (octets(local) > 64) return false;
  const literal = /^\[(?:IPv6:([^\]]*)|([^\]]*))\]$/i.exec(domain);
  if (literal)
    return (literal[1] === undefined ? isIpv4(literal[2]!) : isIpv6(literal[1])) && isLocalPart(local);
  return isLocalPart(local) && isDomain(domain);
}

function octets(text: string): number {
  let count = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return count;
}

function isLocalPart(text: string): boolean {
  if (text.startsWith('"')) return /^"(?:[ !#-[\]-~\u0080-\u{10ffff}]|\\[ -~])*"$/u.test(text);
  return text.split(".").every((atom) => /^[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+$/u.test(atom));
}
