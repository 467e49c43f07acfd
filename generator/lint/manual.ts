import { firstClause } from "../print/text.js";
import { type LintRule, type Profile, everyProfile } from "./rule.js";
import { lintRules } from "./lint-contract.js";

const introduction = `# Rules of \`mcpgen lint\`

The rules by which \`mcpgen lint\` checks the tools of a contract for the models and hosts that get them. \`npx mcpgen explain RULE\`
prints why a rule holds, what to do and where it was seen.

\`\`\`sh
npx mcpgen lint mcp.contract.yaml --fix --dry-run
\`\`\`

|profile|the interface that gets the tools from a host|
|-|-|
|\`claude\`, \`openai\`, \`gemini\`|the usual ones; the default|
|\`gemini-parameters\`|the older field \`parameters\` of Gemini's function declarations, which some hosts still fill|
|\`strict\`|the strict mode of OpenAI|

An **error** means that the interface rejects the schema, usually with all other tools of the request. A **warning** means that a
host may reject it, or that a model may misunderstand it. Tokens are estimated: the bytes of the tool's entry in \`tools/list\`,
divided by four.

\`lint FILE --fix\` does what the last column says: each schema accepts the same values afterwards, and comments stay. What is left
is reported, and decides the exit code. \`--dry-run\` shows the changes.

For all profiles, \`lint\` also compares the [members of extensions](extensions.md#members-of-tools-and-resources) with their
definitions (MG6604) and with the capabilities of the server (MG6605).`;

const handlers = `## Handlers: \`--code PATH\`

With \`--code PATH\`, \`lint\` reads the TypeScript or JavaScript of a server. \`check\`, in projects with the contract of a server, and
\`dev\` report the same.

|handlers|reported|
|-|-|
|with \`task: { onRestart: "replay" }\` ([long-running tools](long-running-tools.md))|all effects outside of \`context.once\` (MG6607)|
|with \`replay: true\`, if they ask|effects outside of \`once\` that come before an ask, or run while an ask is open (MG6607)|
|of both kinds, if they ask|a \`catch\`, \`.catch()\`, \`Promise.allSettled\`, \`Promise.any\` or \`finally\` with \`return\` around an ask that does not throw again what it does not know (MG6609)|
|without \`replay: true\`, if they ask|the first ask, where nothing can wait for the answer (MG6610)|
|of tools that require tasks|the member \`support\` (MG6606)|

A comment \`mcpgen-allow MG6607: REASON\` in the line or above it allows one place.

|in a handler that runs again, outside of \`once\`|reported|
|-|-|
|a call that is awaited, returns a promise, or whose result is unused; also a read, which may give another value|yes|
|a call of \`node:fs\`, \`node:child_process\`, \`node:http\`, \`node:https\`, \`node:http2\`, \`node:net\`, \`node:dgram\`|yes|
|an assignment to what is declared outside of the handler, \`++\`, \`--\`, \`delete\`|yes; \`??=\` and \`\\|\\|=\` no|
|\`Date.now()\`, \`new Date()\`, \`performance.now()\`, \`process.hrtime()\`, \`Math.random()\`, random values of \`crypto\`|yes, also in the key of \`once\`|
|calls on the context, or that get it, \`once\` or \`ask\`; \`Promise.all\` and the like, \`import()\`, \`node:timers/promises\`|no|
|of unused results: \`console\`, \`log\`, \`logger\`; timers; methods of JavaScript and Node.js on local values; functions that return \`never\`, assert a type, or whose name begins with \`assert\`, \`check\`, \`ensure\`, \`expect\`, \`invariant\`, \`parse\`, \`require\`, \`validate\` or \`verify\`|no|

- Functions of the handler, and functions of the project that get the context, are read as part of it. Other functions are not
  read; a handler that a function returns, and an instance of a class as the handlers, are not found.
- Nothing can wait with \`state: { parking: false }\`, or in \`createHttpHandler\` on functions of Cloudflare, AWS Lambda, Azure,
  Google Cloud, Netlify or Vercel. Another value of \`state.parking\`, as in a Durable Object, and tools with \`task\` can wait.`;

/** The text of docs/lint.md. */
export function lintManual(): string {
  const rows = lintRules.map(
    ({ id, profiles, reason, certain = "", ...rule }) =>
      `|\`${id}\`|${profiles.length === everyProfile.length ? "all" : profilesText(profiles)}|${levelText(rule)}|${firstClause(reason)}|${certain}|`,
  );
  const table = ["|rule|refused by|level|why|`--fix`|", "|-|-|-|-|-|", ...rows].join("\n");
  return `${[introduction, "## Rules", table, handlers].join("\n\n")}\n`;
}

/** The advice, and what `--fix` does. */
function adviceText({ fix, certain }: Pick<LintRule, "fix" | "certain">): string {
  return certain === undefined ? fix : `${fix} \`--fix\` ${certain}.`;
}

/** The output of `mcpgen explain RULE`; undefined for an unknown rule. */
export function explainLintRule(id: string): string | undefined {
  const rule = lintRules.find((each) => each.id === id);
  return rule && explanation(rule);
}

function profilesText(profiles: readonly Profile[]): string {
  return profiles.length === everyProfile.length ? "all profiles" : profiles.join(", ");
}

/** The level, and the profiles with another level. */
function levelText({ level, warns = [] }: Pick<LintRule, "level" | "warns">): string {
  return warns.length === 0 ? level : `${level}; warning for ${warns.join(", ")}`;
}

function explanation({ id, profiles, reason, sources = [], ...rule }: LintRule): string {
  return [
    `${id}: a rule of mcpgen lint`,
    [
      reason,
      `→ ${adviceText(rule)}`,
      `For ${profilesText(profiles)}: ${levelText(rule)}.`,
      ...sources.map((each) => `See ${each}`),
    ].join("\n"),
  ].join("\n\n");
}
