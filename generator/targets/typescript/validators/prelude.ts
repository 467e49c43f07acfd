import { join } from "node:path";
import { sharedChecks } from "@mcpgen/engine";
import { packageFolder, readRegularText } from "../../../files/regular-file.js";

/**
 * Checks that emitted validators share: what `engine/emitted/shared-checks.ts` exports. Those of a revision import them; a file
 * that stands alone declares those it uses. A definition whose validator would be called the same gives way (see
 * function-names.ts), and so do locals (see unit.ts).
 */
export type PreludeName = keyof typeof sharedChecks;

export const preludeNames: readonly string[] = Object.keys(sharedChecks);

interface PreludeFunction {
  readonly uses: readonly PreludeName[];
  readonly text: string;
}

let functions: ReadonlyMap<string, PreludeFunction> | undefined;

/** The functions of `engine/emitted/shared-checks.ts`, where they are type-checked and tested. */
function declaredChecks(): ReadonlyMap<string, PreludeFunction> {
  const file = join(packageFolder(), "engine/emitted/shared-checks.ts");
  const source = readRegularText(file).replace(/\r\n?/g, "\n");
  const declared = /^\/\*\*(?:(?!\*\/)[^])*\*\/\nfunction (\w+)[^]*?^\}$/gm;
  const names = preludeNames as readonly PreludeName[];
  return new Map(
    [...source.matchAll(declared)].map(([text, own]) => {
      const uses = names.filter((name) => name !== own && text.includes(`${name}(`));
      return [own!, { uses, text }];
    }),
  );
}

/** The text of the functions in `used` and of those they use, in the order in which they are declared. */
export function prelude(used: ReadonlySet<PreludeName>): string[] {
  const known = (functions ??= declaredChecks());
  const needed = new Set<PreludeName>();
  const add = (name: PreludeName): void => {
    needed.add(name);
    known.get(name)!.uses.forEach(add);
  };
  used.forEach(add);
  return [...known].flatMap(([name, { text }]) => (needed.has(name as PreludeName) ? [text] : []));
}
