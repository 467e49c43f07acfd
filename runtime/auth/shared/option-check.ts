import { AuthError } from "./errors.js";

/**
 * The error of a wrong option. It names the option, and never quotes its value: that may be a secret.
 *
 * @param name path of the option, such as `scopes.required`
 * @param expected what the option must be, without a full stop
 */
export function wrongOption(name: string, expected: string): AuthError {
  return new AuthError("auth-options", `${name}: ${expected}.`);
}

/**
 * Checks that the options are an object without unknown names. A misspelt option would otherwise have no effect.
 *
 * @param place text before the names in errors, such as `dpop.`
 * @param former names of options that there were, with what to write in place of them
 * @throws {AuthError} `auth-options`
 */
export function checkNames(
  given: unknown,
  known: readonly string[],
  place = "",
  former: Readonly<Record<string, string>> = {},
): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw wrongOption(place.replace(/\.$/, "") || "options", "expected an object");
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw wrongOption(
        place + name,
        Object.hasOwn(former, name)
          ? `the option is gone. ${former[name]}`
          : `there is no such option; expected one of ${known.join(", ")}`,
      );
}

/** @throws {AuthError} `auth-options`: the value is no text, or empty */
export function checkText(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string" || value === "") throw wrongOption(name, "expected a text that is not empty");
}

/** @throws {AuthError} `auth-options`: the value is no list of texts, or empty */
export function checkTexts(value: unknown, name: string): asserts value is readonly string[] {
  const fits = Array.isArray(value) && value.length > 0;
  if (!fits || !value.every((each) => typeof each === "string" && each !== ""))
    throw wrongOption(name, "expected a list with at least one text, and none that is empty");
}

/** @throws {AuthError} `auth-options`: the value is no number in the range */
export function checkNumber(value: unknown, name: string, least: number, most: number): void {
  if (typeof value !== "number" || !(value >= least && value <= most))
    throw wrongOption(name, `expected a number from ${least} to ${most}`);
}

/** @throws {AuthError} `auth-options`: the value is no function */
export function checkFunction(value: unknown, name: string): void {
  if (typeof value !== "function") throw wrongOption(name, "expected a function");
}

/** @throws {AuthError} `auth-options`: the value is neither true nor false */
export function checkBoolean(value: unknown, name: string): void {
  if (typeof value !== "boolean") throw wrongOption(name, "expected true or false");
}

/**
 * Checks the secret of a client. One without its value would make a confidential client a public one.
 *
 * @param place text before the name in errors, such as `client.`
 * @throws {AuthError} `auth-options`
 */
export function checkSecret(client: { readonly secret?: unknown }, place: string): void {
  if ("secret" in client) checkText(client.secret, `${place}secret`);
}
