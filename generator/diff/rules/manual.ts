import { ruleTable } from "./table.js";

/** Names that users may look up although no finding has them. */
const ruleless: ReadonlyMap<string, string> = new Map([
  [
    "meta-key-required",
    "Keys of `_meta` have no separate rule. They are properties like others, in one group, because they appear in every method. A key that becomes required is reported as property-added-required or property-became-required.",
  ],
]);

/** The text of `mcpgen explain RULE`; undefined for an unknown rule. */
export function explainRule(id: string): string | undefined {
  const substitute = ruleless.get(id);
  if (substitute !== undefined) return `${id}: not a rule of mcpgen diff\n\n${substitute}`;
  const rows = ruleTable.filter((rule) => rule.id === id);
  if (rows.length === 0) return undefined;
  const texts = rows.map(({ when, writer, reader, closedReader, source, reason, advice }) => {
    const closed = closedReader === undefined ? "" : ` (${closedReader} if they reject unknown values)`;
    return [
      ...(when === undefined ? [] : [`If ${when}:`]),
      reason,
      `→ ${advice}`,
      `Writers: ${writer}. Readers: ${reader}${closed}. Code that uses the types: ${source}.`,
    ].join("\n");
  });
  return [`${id}: a rule of mcpgen diff`, ...texts].join("\n\n");
}
