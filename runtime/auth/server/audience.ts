import { type OptionFault, optionFault, text, texts } from "@mcpgen/base";
import type { Audience, Claims } from "./token-issuer.js";

/** The rule for an audience. One that names nothing would match every token or none. */
export function audience(value: unknown, place: string): string | OptionFault | undefined {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return texts(value);
  return optionFault(value, { claim: text, oneOf: texts }, place, ["claim", "oneOf"]);
}

/**
 * Whether a token was issued for this server (RFC 8707, 2).
 *
 * @param resource the identifier of this server
 * @param audience the issuer's name for this server, if it is not the resource
 */
export function isForUs(claims: Claims, resource: string, audience: Audience = resource): boolean {
  if (typeof audience === "object" && "oneOf" in audience)
    return meets(claims[audience.claim], (each) => audience.oneOf.includes(each));
  const names = typeof audience === "string" ? [audience] : audience;
  return meets(claims["aud"], (each) =>
    names.some((name) => each === name || canonical(each) === canonical(name)),
  );
}

function meets(value: unknown, fits: (each: string) => boolean): boolean {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.some((each) => typeof each === "string" && fits(each));
}

/**
 * Returns a URI with scheme and host in lower case, as servers should accept them (2026-07-28, canonical server URI), and
 * with `/` for an empty path (RFC 9110, 4.2.3). Changes nothing else, because another path is another server.
 */
function canonical(uri: string): string {
  const [, start, rest] = /^([a-z][a-z\d+.-]*:\/\/[^/?#@]*)(.*)$/is.exec(uri) ?? [];
  return start === undefined ? uri : start.toLowerCase() + (rest || "/");
}
