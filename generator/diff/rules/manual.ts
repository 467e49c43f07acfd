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

Whoever writes a value is hurt when less is accepted, whoever reads it when more may come. Each rule therefore has two
levels: for an implementation of the old revision that **writes** the value, and for one that **reads** it, when its
peer moves to the new revision. Params are written by the sender of a method, results by the side that answers.
Where readers refuse what they do not know (\`--readers closed\`), the level behind the slash holds.

A finding is breaking only if a message proves it: one that the old revision takes and the new one refuses, or the
reverse. Without such a witness it is dangerous, and says so.

**Types** tells whether code written against the generated types stops compiling. **Mirror** is the rule that is found
in the same place when old and new change places.

Keys of \`_meta\` have no rule of their own (meta-key-required): they are properties like others, in one group, since
they reach every method. HTTP headers, transports and authorization are not in a schema: nothing is said of them.

Between two contracts, or a contract and a live server, the rules of types, properties and limits hold for the schemas
of tools and the arguments of prompts: clients write arguments, servers write results. What else a contract says has
rules of its own, as whether a tool is called as a task and which arguments headers repeat; there, what breaks needs no
message to prove it.

With \`--uses PATH\` each finding names the places in your code that meet it. That changes no level: a break that your
code never meets is still one for others, and \`--only-used\` leaves it out.`;

/** docs/rules.md. */
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
  const name = `\`${id}\`${when === undefined ? "" : `, ${when}`}${hidden ? " (only if the configuration asks for it)" : ""}`;
  const asReader = closedReader === undefined ? reader : `${reader} / ${closedReader}`;
  const mirrors = "waived" in mirror ? mirror.waived : mirror.map((each) => `\`${each}\``).join(", ");
  return `| ${[name, writer, asReader, source, reason, mirrors].join(" | ")} |`;
}

/** Names that are asked for, of which no finding is. */
const ruleless: ReadonlyMap<string, string> = new Map([
  [
    "meta-key-required",
    "Keys of `_meta` have no rule of their own: they are properties like others, in one group, since they reach every method. A key that becomes required is found as property-added-required or property-became-required.",
  ],
]);

/** What `mcpgen explain RULE` prints. */
export function explainRule(id: string): string | undefined {
  const told = ruleless.get(id);
  if (told !== undefined) return `${id}: not a rule of mcpgen diff\n\n${told}`;
  const rows = ruleTable.filter((rule) => rule.id === id);
  if (rows.length === 0) return undefined;
  const texts = rows.map(({ when, writer, reader, closedReader, source, reason, advice }) => {
    const closed = closedReader === undefined ? "" : ` (${closedReader} where readers are closed)`;
    return [
      ...(when === undefined ? [] : [`Where ${when}:`]),
      reason,
      `→ ${advice}`,
      `For who writes: ${writer}. For who reads: ${reader}${closed}. For code written against the types: ${source}.`,
    ].join("\n");
  });
  return [`${id}: a rule of mcpgen diff`, ...texts].join("\n\n");
}
