import type { LintRule } from "./rule.js";
import { lintRules } from "./table.js";

const introduction = `# Rules of \`mcpgen lint\`

Written from the rule table in \`generator/lint/\` by \`node scripts/run-ts.mjs scripts/lint-rules.ts\`.

A profile is a model interface that hosts hand the schemas of tools to: \`claude\`, \`openai\`, \`gemini\`, and \`strict\`, the
strict mode of OpenAI. Without \`--profile\` all but \`strict\` count. Hosts differ in what they mend on the way: an
**error** is what the interface itself refuses, mostly together with all other tools of the request; a **warning** is what
may be refused, or misunderstood by a model.

The schemas of arguments are judged; those of results go to no model. Tokens are estimated as bytes of the tool's entry
in \`tools/list\`, divided by four.`;

/** docs/lint.md. */
export function lintManual(): string {
  const rows = lintRules.map(
    ({ id, profiles, level, reason, fix, sources = [] }) =>
      `| \`${id}\` | ${profiles.join(", ")} | ${level} | ${reason} | ${fix} | ${sources.map((each, index) => `[${index + 1}](${each})`).join(" ")} |`,
  );
  const table = [
    "| rule | refused by | level | why | what to do | where |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ];
  return `${introduction}\n\n${table.join("\n")}\n`;
}

/** What `mcpgen explain RULE` prints. */
export function explainLintRule(id: string): string | undefined {
  const rule = lintRules.find((each) => each.id === id);
  return rule && explanation(rule);
}

function explanation({ id, profiles, level, reason, fix, sources = [] }: LintRule): string {
  return [
    `${id}: a rule of mcpgen lint`,
    [
      reason,
      `→ ${fix}`,
      `For ${profiles.join(", ")}: ${level}.`,
      ...sources.map((each) => `See ${each}`),
    ].join("\n"),
  ].join("\n\n");
}
