import { type LintRule, type Profile, everyProfile } from "./rule.js";
import { lintRules } from "./lint-contract.js";

const introduction = `# Rules of \`mcpgen lint\`

Written from the rule table in \`generator/lint/\` by \`node scripts/run-ts.mjs scripts/lint-rules.ts\`.

A profile is a model interface that receives the schemas of tools from a host: \`claude\`, \`openai\`, \`gemini\`,
\`gemini-parameters\`, the older field of Gemini's function declarations, which some hosts and agent frameworks still fill, and
\`strict\`, the strict mode of OpenAI. Without \`--profile\` the first three apply. An **error** means that the
interface rejects the schema, usually together with all other tools of the request; some hosts repair such schemas. A
**warning** means that a host may reject the schema or that a model may misunderstand it.

The rules check the schemas of arguments. No model receives the schemas of results, but hosts compile them, and judge results by
them: rules about what is invalid in JSON Schema, and about what no value fits, look at them, too. Tokens are estimated as the bytes
of the tool's entry in \`tools/list\`, divided by four.

\`lint FILE --fix\` changes the file of a contract where that is certain: each schema accepts the same values afterwards, as
[\`diff\`](rules.md) compares schemas, and no name, text or scope is another one. What is invalid in 2020-12 is written in its words
if it has one meaning in an older draft. Order, layout and comments of the file stay. The findings that are left are reported as
without \`--fix\`, and decide the exit code. What the table says after \`--fix\` is done; everything else is for you to decide: what
\`required\` names and nothing declares may be a slip in either place, and \`nullable: true\` may be meant. \`--dry-run\` shows the
changes and writes nothing.

Beside these rules, \`lint\` compares the members that [extensions](extensions.md#members-of-tools-and-resources) add to tools,
resources, resource templates and prompts with their definitions (MG6604) and with the capabilities of the server (MG6605), for
all profiles.

With \`--code PATH\`, \`lint\` reads the TypeScript or JavaScript of a server, and judges the handlers that it registers:

| handlers | reported |
| --- | --- |
| with \`task: { onRestart: "replay" }\` ([long-running tools](long-running-tools.md)) | all effects outside of \`context.once\` (MG6607) |
| with \`replay: true\`, if they ask | effects outside of \`once\` that come before an ask, or run while an ask is open (MG6607) |
| of both kinds, if they ask | a \`catch\`, \`.catch()\`, \`Promise.allSettled\`, \`Promise.any\` or \`finally\` with \`return\` around an ask that does not throw again what it does not know (MG6609) |
| without \`replay: true\`, if they ask | the first ask, where nothing can wait for the answer (MG6610) |
| of tools that require tasks | the member \`support\` (MG6606) |

Every other handler waits for the answer: no line of it runs twice. \`check\`, in projects with the contract of a server, and \`dev\`
report the same. In a contract, \`task\` and \`replay\` stand in the entry; they are read from the generated server, and the handlers from
the object that its \`create…Server\` is given, or that is declared as \`Handlers\`. The rule \`task-required\` finds the tools of a
contract that require tasks. A comment \`mcpgen-allow MG6607: REASON\` in the line, or in the comment above it, allows one place.

| in a handler that runs again, outside of \`once\` | reported |
| --- | --- |
| a call that is awaited, or that returns a promise; reads, too: they may give another value | yes |
| a call whose result is unused | yes |
| a call of \`node:fs\`, \`node:child_process\`, \`node:http\`, \`node:https\`, \`node:http2\`, \`node:net\`, \`node:dgram\` | yes |
| an assignment to what is declared outside of the handler, \`++\`, \`--\`, \`delete\` | yes; \`??=\` and \`\\|\\|=\` no |
| \`Date.now()\`, \`new Date()\`, \`performance.now()\`, \`process.hrtime()\`, \`Math.random()\`, random values of \`crypto\` | yes, also in the key of \`once\` |
| calls on the context, such as \`ask\`, \`log\` and \`progress\`; \`Promise.all\` and the like, \`import()\`, \`node:timers/promises\` | no |
| calls that get the context, \`once\` or \`ask\` | no; bodies of functions of the project are read as if they stood in the handler |
| of unused results: \`console\`, \`log\`, \`logger\`; timers; names that begin with \`assert\`, \`check\`, \`ensure\`, \`expect\`, \`invariant\`, \`parse\`, \`require\`, \`validate\` or \`verify\`; functions that return \`never\` or assert a type | no |
| of unused results: methods of JavaScript and Node.js on local values, such as \`lines.push(…)\` | no |
| functions of the handler itself | no; their bodies are looked through where they are used, unless that is inside of \`once\` |

An effect comes before an ask if a path leads from it to an ask: through branches, loops, and functions of the handler. What follows
the last ask runs once. \`catch\` and \`finally\` run in each round of an ask in their \`try\`.

Nothing can wait if the server has \`state: { parking: false }\`, or is given to \`createHttpHandler\` in a file that imports a module of
functions of Cloudflare, AWS Lambda, Azure, Google Cloud, Netlify or Vercel (of Hono's, too), that names \`ExportedHandler\` or
\`runtime: "edge"\`, or whose package has a file of wrangler. Nothing is reported if \`state.parking\` has another value, as in a Durable
Object, if a handler may belong to another server of the code, which can wait, and of tools with \`task\`.

Names are resolved as the TypeScript compiler does, also across files. A handler or a definition that a function returns, and an
instance of a class as the handlers, are not found. Functions outside of the handler that do not get the context are not read.`;

/** The text of docs/lint.md. */
export function lintManual(): string {
  const rows = lintRules.map(
    ({ id, profiles, reason, sources = [], ...rule }) =>
      `| \`${id}\` | ${profilesText(profiles)} | ${levelText(rule)} | ${reason} | ${adviceText(rule)} | ${sources.map((each, index) => `[${index + 1}](${each})`).join(" ")} |`,
  );
  const table = [
    "| rule | refused by | level | why | what to do | where |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ];
  return `${introduction}\n\n${table.join("\n")}\n`;
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
