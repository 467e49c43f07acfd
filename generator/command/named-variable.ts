/** The value of a variable that a user or a file names, if it is set: every object has members such as `constructor`. */
export function namedVariable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}
