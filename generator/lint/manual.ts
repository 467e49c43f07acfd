import { type LintRule, type Profile, everyProfile } from "./rule.js";
import { lintRules } from "./table.js";

const introduction = `# Rules of \`mcpgen lint\`

Written from the rule table in \`generator/lint/\` by \`node scripts/run-ts.mjs scripts/lint-rules.ts\`.

A profile is a model interface that receives the schemas of tools from a host: \`claude\`, \`openai\`, \`gemini\`,
\`gemini-parameters\`, the older field of Gemini's function declarations, which some hosts and agent frameworks still fill, and
\`strict\`, the strict mode of OpenAI. Without \`--profile\` the first three apply. An **error** means that the
interface rejects the schema, usually together with all other tools of the request; some hosts repair such schemas. A
**warning** means that a host may reject the schema or that a model may misunderstand it.

The rules check the schemas of arguments; no model receives the schemas of results, but hosts compile them
(\`result-reference-to-nothing\`). Tokens are estimated as the bytes of
the tool's entry in \`tools/list\`, divided by four.

Beside these rules, \`lint\` compares the members that [extensions](extensions.md#members-of-tools-and-resources) add to tools,
resources, resource templates and prompts with their definitions (MG6604) and with the capabilities of the server (MG6605), for
all profiles.

With \`--code PATH\`, \`lint\` reads the TypeScript or JavaScript of a server, and judges the tools that it registers with the member
\`task\` ([long-running tools](long-running-tools.md)): those that require tasks (MG6606), and what handlers with \`onRestart: "replay"\`
do outside of \`context.once\` (MG6607). It judges the handlers of a contract's tools in the same way: \`task\` is read from the
generated server, and the handlers from the object that its \`create…Server\` is given, or that is declared as \`Handlers\`; the rule
\`task-required\` finds the tools of a contract that require tasks. A comment \`mcpgen-allow MG6607: REASON\` in the line, or
above it, allows one place.

| in a replayed handler, outside of \`once\` | reported |
| --- | --- |
| a call that is awaited, or that returns a promise | yes |
| a call of \`node:fs\`, \`node:child_process\`, \`node:http\`, \`node:https\`, \`node:http2\`, \`node:net\`, \`node:dgram\` | yes |
| \`Date.now()\`, \`new Date()\`, \`performance.now()\`, \`process.hrtime()\`, \`Math.random()\`, random values of \`crypto\` | yes, also in the key of \`once\` |
| calls on the context, \`Promise.all\` and the like, \`node:timers/promises\` | no |
| calls that get the context, \`once\` or \`ask\` | no: the function that is called can use \`once\` |
| functions of the handler itself | no; their bodies are looked through, unless they are used inside of \`once\` only |

Names are resolved as the TypeScript compiler does, also across files. A handler or a definition that a function returns, and an
instance of a class as the handlers, are not found. Bodies of functions outside of the handler are not looked through.`;

/** docs/lint.md. */
export function lintManual(): string {
  const rows = lintRules.map(
    ({ id, profiles, reason, fix, sources = [], ...rule }) =>
      `| \`${id}\` | ${profilesText(profiles)} | ${levelText(rule)} | ${reason} | ${fix} | ${sources.map((each, index) => `[${index + 1}](${each})`).join(" ")} |`,
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

function profilesText(profiles: readonly Profile[]): string {
  return profiles.length === everyProfile.length ? "all profiles" : profiles.join(", ");
}

/** The level, and the profiles that have another one. */
function levelText({ level, warns = [] }: Pick<LintRule, "level" | "warns">): string {
  return warns.length === 0 ? level : `${level}; warning for ${warns.join(", ")}`;
}

function explanation({ id, profiles, reason, fix, sources = [], ...rule }: LintRule): string {
  return [
    `${id}: a rule of mcpgen lint`,
    [
      reason,
      `→ ${fix}`,
      `For ${profilesText(profiles)}: ${levelText(rule)}.`,
      ...sources.map((each) => `See ${each}`),
    ].join("\n"),
  ].join("\n\n");
}
