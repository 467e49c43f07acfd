import type { Area, Rule } from "./rule.js";
import { ruleTable } from "./table.js";

const areas: readonly (readonly [Area, string])[] = [
  ["methods", "Methods, params and results"],
  ["properties", "Properties and objects"],
  ["types", "Types, values and unions"],
  ["limits", "Limits"],
  ["errors", "Errors"],
  ["definitions", "Names and prose"],
  ["files", "Files and notes"],
  ["contracts", "Contracts"],
];

const introduction = `# Rules of \`mcpgen diff\`

Written from the rule table in \`generator/diff/rules/\` by \`node scripts/run-ts.mjs scripts/rules.ts\`.

A change that accepts fewer values breaks writers; a change that allows more values breaks readers. Each rule therefore
has two levels: for an implementation of the old revision that **writes** the value, and for one that **reads** it, when
its peer moves to the new revision. The sender of a method writes its params; the receiver writes the result. The level
behind a slash applies if readers reject unknown values (\`--readers closed\`).

A finding is breaking only if a message proves it: one revision accepts the message, and the other one rejects it.
Without such a message the finding is dangerous, and says so.

**Types** says whether code that uses the generated types stops compiling. **Mirror** is the rule that the comparison
finds in the same place if old and new are swapped.

Keys of \`_meta\` have no separate rule (meta-key-required). They are properties like others, in one group, because they
appear in every method. A schema does not contain HTTP headers, transports and authorization, so no rule covers them.
Nor is there one for what only notes say of a method: capabilities, headers, caching, streams and filters of
subscriptions. The generated \`PROTOCOL.md\` of each revision lists them in one line a method.

Between two contracts, or a contract and a live server, the rules of types, properties and limits apply to the schemas
of tools and the arguments of prompts: clients write arguments, servers write results. The rest of a contract has
separate rules, for example whether a tool is called as a task and which arguments are repeated in headers. These rules
need no message as a proof. Scopes are compared between contract files alone: no server lists them.

With \`--uses PATH\` each finding lists the places in your code that it affects. Levels stay the same: a break that does
not affect your code may affect others. \`--only-used\` leaves such findings out.`;

/** The text of docs/rules.md. */
export function rulesManual(): string {
  const sections = areas.map(([area, heading]) => {
    const rules = ruleTable.filter((rule) => rule.area === area);
    const table = [
      "| rule | writer | reader | types | why | mirror |",
      "| --- | --- | --- | --- | --- | --- |",
      ...rules.map(row),
    ].join("\n");
    return `## ${heading}\n\n${table}`;
  });
  return [introduction, ...sections].join("\n\n") + "\n";
}

function row({ id, when, writer, reader, closedReader, source, reason, mirror, hidden }: Rule): string {
  const name = `\`${id}\`${when === undefined ? "" : `, ${when}`}${hidden ? " (only if the configuration enables it)" : ""}`;
  const asReader = closedReader === undefined ? reader : `${reader} / ${closedReader}`;
  const mirrors = "waived" in mirror ? mirror.waived : mirror.map((each) => `\`${each}\``).join(", ");
  return `| ${[name, writer, asReader, source, reason, mirrors].join(" | ")} |`;
}

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
