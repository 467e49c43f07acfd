import { isObject, type OptionFault, optionFault, type OwnRules, type Rule, texts } from "@mcpgen/base";
import { AuthError } from "./errors.js";
import { isScope } from "./scopes.js";
import { endpointUrl } from "./urls.js";

/**
 * Makes the error for a wrong option. It names the option, and never quotes the value, which may be a secret.
 *
 * @param name path of the option, such as `scopes.required`
 * @param expected what the option must be, without a full stop
 */
export function wrongOption(name: string, expected: string): AuthError {
  return new AuthError("auth-options", `${name}: ${expected}.`);
}

/**
 * Checks the names and values of options. The error never shows a value, which may be a secret.
 *
 * @param place text before the names in errors, such as `dpop.`
 * @param required names of options that must be given
 * @throws {AuthError} `auth-options`
 */
export function checkOptions(
  given: unknown,
  rules: OwnRules,
  place = "",
  required: readonly string[] = [],
): void {
  const fault = optionFault(given, rules, place, required);
  if (fault) throw new AuthError("auth-options", fault.message);
}

/**
 * Returns `secret` as a required option of a client that has it. A secret that is present but `undefined` would turn a
 * confidential client into a public one.
 */
export function givenSecret(client: unknown): readonly string[] {
  return isObject(client) && "secret" in client ? ["secret"] : [];
}

/**
 * Judges an object that may have any names.
 *
 * @param name returns the expected name, if a name is wrong
 * @param rule of each member
 */
export function entryFault(
  value: unknown,
  place: string,
  name: (name: string) => string | undefined,
  rule: Rule,
): string | OptionFault | undefined {
  if (!isObject(value)) return "an object";
  const names = Object.keys(value);
  const ruleOf = (each: string): Rule => {
    const wrong = name(each);
    return wrong === undefined ? rule : () => wrong;
  };
  return optionFault(value, Object.fromEntries(names.map((each) => [each, ruleOf(each)])), place, names);
}

/** The rule for a list of scopes. */
export function scopeList(value: unknown): string | undefined {
  return Array.isArray(value) && value.every(isScope)
    ? undefined
    : "a list of scopes, without spaces, quotes and backslashes";
}

/** The rule for a URL of the operator. */
export function httpsUrl(value: unknown): string | undefined {
  return endpointUrl(value, true) && !/[\s|]/.test(String(value))
    ? undefined
    : "an https URL without user, password and fragment; http only for this machine";
}

/** The rule for an issuer identifier (RFC 8414, 2). */
export function issuerUrl(value: unknown): string | undefined {
  return (
    httpsUrl(value) ??
    (String(value).includes("?") ? "an issuer, which has no query (RFC 8414, 2)" : undefined)
  );
}

/** The rule for a list of issuer identifiers. */
export function issuerUrls(value: unknown): string | undefined {
  return texts(value) ?? (value as readonly string[]).map(issuerUrl).find(Boolean);
}
