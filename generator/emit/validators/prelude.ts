import { join } from "node:path";
import { packageFolder, readRegularText } from "../../files/regular-file.js";

const names = [
  "isObject",
  "ownMember",
  "isOptionalString",
  "isOptionalBoolean",
  "isOptionalObject",
  "isStrings",
  "lengthOf",
  "divides",
  "decimalOf",
  "textOf",
  "distinct",
  "postpone",
  "settle",
] as const;

/**
 * Checks that validators share. Files of revisions import them; a standalone file declares those it uses. If
 * a validator would have the same name, it gets another (function-names.ts), and so do locals (unit.ts).
 */
export type PreludeName = (typeof names)[number];

export const preludeNames: readonly string[] = names;

interface PreludeFunction {
  readonly uses: readonly PreludeName[];
  readonly text: string;
}

let functions: ReadonlyMap<string, PreludeFunction> | undefined;

/** The functions of `engine/emitted/shared-checks.ts`, where they are type-checked and tested. */
function sharedChecks(): ReadonlyMap<string, PreludeFunction> {
  const file = join(packageFolder(), "engine/emitted/shared-checks.ts");
  const source = readRegularText(file).replace(/\r\n?/g, "\n");
  const declared = /^\/\*\*(?:(?!\*\/)[^])*\*\/\nfunction (\w+)[^]*?^\}$/gm;
  return new Map(
    [...source.matchAll(declared)].map(([text, own]) => {
      const uses = names.filter((name) => name !== own && text.includes(`${name}(`));
      return [own!, { uses, text }];
    }),
  );
}

/** The text of the functions in `used` and of those they call, in a fixed order. */
export function prelude(used: ReadonlySet<PreludeName>): string[] {
  const known = (functions ??= sharedChecks());
  const needed = new Set<PreludeName>();
  const add = (name: PreludeName): void => {
    needed.add(name);
    known.get(name)!.uses.forEach(add);
  };
  used.forEach(add);
  return names.filter((name) => needed.has(name)).map((name) => known.get(name)!.text);
}
