import { revisionIds } from "@mcpgen/protocol";
import type { Judge } from "@mcpgen/protocol/model";

const all = await Promise.all(
  revisionIds.map(
    async (id) =>
      [id, (await import(`@mcpgen/protocol/${id}/validators`)) as Readonly<Record<string, Judge>>] as const,
  ),
);

const names = new Map<string, ReadonlyMap<Judge, string>>(
  all.map(([id, validators]) => [
    id,
    new Map(Object.entries(validators).map(([name, judge]) => [judge, name.replace(/^(is|accepts)/, "")])),
  ]),
);

/** The name of the definition of a revision that a validator of its tables judges. */
export function definitionOf(revision: string, judge: Judge): string {
  const name = names.get(revision)!.get(judge);
  if (name === undefined) throw new Error(`revision ${revision} has no such validator`);
  return name;
}
