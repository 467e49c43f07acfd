import { checkNames, checkText, checkTexts } from "../shared/option-check.js";
import type { Audience, Claims } from "./token-issuer.js";

/** @throws {AuthError} `auth-options`: nothing is named, so every token would fit or none */
export function checkAudience(value: unknown, name: string): asserts value is Audience {
  if (typeof value === "string") return checkText(value, name);
  if (Array.isArray(value)) return checkTexts(value, name);
  checkNames(value, ["claim", "oneOf"], `${name}.`);
  const { claim, oneOf } = value as { claim?: unknown; oneOf?: unknown };
  checkText(claim, `${name}.claim`);
  checkTexts(oneOf, `${name}.oneOf`);
}

/**
 * Whether a token was issued for this server (RFC 8707, 2).
 *
 * @param resource the identifier of this server
 * @param audience how the issuer names this server, if not by the resource
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
 * A URI with scheme and host in lower case, as servers should accept it (2026-07-28, canonical server URI). An empty path
 * is `/` (RFC 9110, 4.2.3). Nothing else is changed: another path is another server.
 */
function canonical(uri: string): string {
  const [, start, rest] = /^([a-z][a-z\d+.-]*:\/\/[^/?#@]*)(.*)$/is.exec(uri) ?? [];
  return start === undefined ? uri : start.toLowerCase() + (rest || "/");
}
