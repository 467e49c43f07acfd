import type { Area, Level, Rule } from "../generator/diff/rules/rule.js";
import { ruleTable } from "../generator/diff/rules/table.js";
import { firstClause } from "./lint-manual.js";

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

The rules by which \`mcpgen diff\` compares revisions, contracts and live servers. \`npx mcpgen explain RULE\` prints the
whole reason, and what to do.

The columns say what code of the old revision meets when its peer moves to the new one:

- **writer**: writes the value. The sender of a method writes its params, the receiver its result.
- **reader**: reads the value. After a slash: readers that reject unknown values (\`--readers closed\`).
- **types**: uses the generated types, and stops compiling.

**B** is breaking: one revision accepts a message that the other rejects. **D** is dangerous: the behaviour may change. Empty is
safe.

- No rule covers HTTP headers, transports, authorization and the capabilities that a method needs: see the generated
  \`PROTOCOL.md\`.
- The rules of properties, types and limits also apply in contracts: clients write arguments, servers results. Scopes are
  compared between files alone.
- \`--uses PATH\` lists the places in your code that a finding affects. \`--only-used\` leaves other findings out.`;

/** The text of docs/rules.md. */
export function rulesManual(): string {
  const sections = areas.map(([area, heading]) => {
    const rows = rowsOf(ruleTable.filter((rule) => rule.area === area));
    return `## ${heading}\n\n|rule|writer|reader|types|why|\n|-|-|-|-|-|\n${rows.join("\n")}`;
  });
  return [introduction, ...sections].join("\n\n") + "\n";
}

/** The rows of a table. Rules that differ only in their names share one. */
function rowsOf(rules: readonly Rule[]): string[] {
  const names = new Map<string, string[]>();
  for (const rule of rules) {
    const cells = cellsOf(rule);
    names.set(cells, [...(names.get(cells) ?? []), nameOf(rule)]);
  }
  return [...names].map(([cells, own]) => `|${own.join("; ")}|${cells}|`);
}

function nameOf({ id, when, hidden }: Rule): string {
  return `\`${id}\`${when === undefined ? "" : `, ${when}`}${hidden ? " (off by default)" : ""}`;
}

/** The cells after the name. The row of a case says only what the case is, unless its rule has cases alone. */
function cellsOf({ id, when, writer, reader, closedReader, source, reason }: Rule): string {
  const asReader = [reader, ...(closedReader === undefined ? [] : [closedReader])].map(letterOf).join("/");
  const isCase = when !== undefined && ruleTable.some((rule) => rule.id === id && rule.when === undefined);
  const why = isCase ? "" : firstClause(reason);
  return [letterOf(writer), asReader, letterOf(source), why].join("|");
}

function letterOf(level: Level): string {
  return level === "safe" ? "" : level[0]!.toUpperCase();
}
