import type { Emitter } from "../../generator/targets/typescript/emitter.js";

/** Loads the emitters of a table of the registry. */
export async function loadEmitters<Input>(
  table: Readonly<Record<string, () => Promise<Emitter<Input>>>>,
): Promise<Readonly<Record<string, Emitter<Input>>>> {
  const entries = Object.entries(table).map(async ([name, load]) => [name, await load()] as const);
  return Object.fromEntries(await Promise.all(entries));
}
