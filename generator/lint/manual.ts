import type { LintRule } from "./rule.js";
import { lintRules } from "./table.js";

const introduction = `# Rules of \`mcpgen lint\`

Written from the rule table in \`generator/lint/\` by \`node scripts/run-ts.mjs scripts/lint-rules.ts\`.

A profile is a model interface that receives the schemas of tools from a host: \`claude\`, \`openai\`, \`gemini\`, and
\`strict\`, the strict mode of OpenAI. Without \`--profile\` all profiles except \`strict\` apply. An **error** means that the
interface rejects the schema, usually together with all other tools of the request; some hosts repair such schemas. A
**warning** means that a host may reject the schema or that a model may misunderstand it.

The rules check the schemas of arguments; no model receives the schemas of results. Tokens are estimated as the bytes of
the tool's entry in \`tools/list\`, divided by four.

Beside these rules, \`lint\` compares the members that [extensions](extensions.md#members-of-tools-and-resources) add to tools,
resources, resource templates and prompts with their definitions (MG6604) and with the capabilities of the server (MG6605), for
all profiles.`;

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

/** The output of `mcpgen explain RULE`. */
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
