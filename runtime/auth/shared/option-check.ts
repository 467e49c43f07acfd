import { AuthError } from "./errors.js";

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
 * Checks that the options are an object without unknown names. A misspelt option would otherwise have no effect.
 *
 * @param place text before the names in errors, such as `dpop.`
 * @param former removed options, with the text about what to write instead
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

/** @throws {AuthError} `auth-options`: the value is not a string, or is empty */
export function checkText(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string" || value === "") throw wrongOption(name, "expected a text that is not empty");
}

/** @throws {AuthError} `auth-options`: the value is not a list of strings, or is empty */
export function checkTexts(value: unknown, name: string): asserts value is readonly string[] {
  const fits = Array.isArray(value) && value.length > 0;
  if (!fits || !value.every((each) => typeof each === "string" && each !== ""))
    throw wrongOption(name, "expected a list with at least one text, and none that is empty");
}

/** @throws {AuthError} `auth-options`: the value is not a number in the range */
export function checkNumber(value: unknown, name: string, least: number, most: number): void {
  if (typeof value !== "number" || !(value >= least && value <= most))
    throw wrongOption(name, `expected a number from ${least} to ${most}`);
}

/** @throws {AuthError} `auth-options`: the value is not a function */
export function checkFunction(value: unknown, name: string): void {
  if (typeof value !== "function") throw wrongOption(name, "expected a function");
}

/** @throws {AuthError} `auth-options`: the value is not a boolean */
export function checkBoolean(value: unknown, name: string): void {
  if (typeof value !== "boolean") throw wrongOption(name, "expected true or false");
}

/**
 * Checks the secret of a client. A secret that is present but empty would turn a confidential client into a
 * public one.
 *
 * @param place text before the name in errors, such as `client.`
 * @throws {AuthError} `auth-options`
 */
export function checkSecret(client: { readonly secret?: unknown }, place: string): void {
  if ("secret" in client) checkText(client.secret, `${place}secret`);
}
