/** The arguments of a call as the client sent them: they are not checked yet. */
export interface UncheckedArguments {
  readonly [name: string]: unknown;
}

/**
 * The scopes that a client needs (RFC 6749, 3.3), or a function that names them for the arguments of a call: of a template,
 * for the variables of the URI. Only `permit` of an HTTP endpoint reads them.
 */
export type Scopes = readonly string[] | ((args: UncheckedArguments) => readonly string[]);

/** Whether a value is a list of scopes. */
export function isScopes(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof each === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(each))
  );
}
