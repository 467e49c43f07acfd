import type { AddedMember, Extension, UsedExtension } from "../model.js";

/** Returns the function that validates the members that an extension adds to objects. */
export function memberCheck({
  id,
  bases,
  vocabulary = [...bases.keys()].sort().at(-1),
}: Extension): UsedExtension["wrongMember"] {
  const members = bases.get(vocabulary!)?.members ?? [];
  return (of, object) => {
    for (const member of members) {
      if (member.of !== of) continue;
      const wrong = problemOf(member, valueAt(object, member.path));
      if (wrong !== undefined) return `${member.path.join(".")}: ${wrong} (extension ${id})`;
    }
    return undefined;
  };
}

function problemOf({ is, name, required }: AddedMember, value: unknown): string | undefined {
  if (value === undefined) return required ? `expected a ${name}, got nothing` : undefined;
  if (is(value)) return undefined;
  try {
    return `${JSON.stringify(value)} is no ${name}`;
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
}

function valueAt(object: object, path: readonly string[]): unknown {
  let found: unknown = object;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.hasOwn(found, key) ? (found as { readonly [key: string]: unknown })[key] : undefined;
  }
  return found;
}
