import type { ts } from "ts-morph";
import type { Origins } from "./origins.js";

/**
 * The revisions whose generated code a comparison is about: the two, and the one that the types which all revisions
 * share are taken from.
 *
 * @returns undefined for all: the old revision is none of those that were generated
 */
export function concerned(
  generated: readonly ts.SourceFile[],
  origins: Origins,
  compared: readonly string[],
): ReadonlySet<string> | undefined {
  const known = new Set(generated.flatMap((file) => origins.of(file)?.revision ?? []));
  if (!compared.some((revision) => known.has(revision))) return undefined;
  const shared = generated
    .filter((file) => origins.of(file)?.kind === "protocol" && origins.of(file)?.revision === undefined)
    .flatMap(({ fileName, text }) =>
      /[\\/]authoring(?:\.d)?\.ts$/.test(fileName) ? (/from "\.\/([^/"]+)\/types/.exec(text)?.[1] ?? []) : [],
    );
  return new Set([...compared, ...shared]);
}
