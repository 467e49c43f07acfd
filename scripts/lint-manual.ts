import { lintRules } from "../generator/lint/lint-contract.js";
import { levelFor, profiles } from "../generator/lint/rule.js";

const introduction = `# Rules of \`mcpgen lint\`

\`mcpgen lint\` checks tools for models and hosts. \`npx mcpgen explain RULE\` says why.

\`\`\`sh
npx mcpgen lint mcp.contract.yaml --fix --dry-run
npx mcpgen lint mcp.contract.yaml --host codex --host claude-code
\`\`\`

|\`--profile\`|the interface that gets the tools from a host|
|-|-|
|\`claude\`, \`openai\`, \`gemini\`|the default|
|\`gemini-parameters\`|the older field \`parameters\` of Gemini's function declarations|
|\`strict\`|the strict mode of OpenAI|

**E**rror: the interface rejects the schema, usually with all tools of the request. **W**arning: a host may reject it, or a
model misunderstand it. Tokens: a quarter of the bytes in \`tools/list\`.

\`--host NAME\` judges for a [host](hosts.md), whatever its model is: an error where it leaves a tool out or cannot call it, a
warning where it renames the tool, or changes its schema or texts.

\`lint FILE --fix\` does what the last column says: each schema accepts the same values afterwards, and comments stay. \`--dry-run\`
shows the changes.

\`lint\` also compares the [members of extensions](extensions.md#members-of-tools-and-resources) with their
definitions (MG6604) and the capabilities of the server (MG6605).`;

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
- Nothing can wait with \`state: { parking: false }\`, or in \`createHttpHandler\` on functions of a cloud. Another value of \`state.parking\`, as in a Durable Object, and tools with \`task\` can wait.`;

/** The text of docs/lint.md. */
export function lintManual(): string {
  const rows = lintRules.map((rule) => {
    const levels = profiles.map(
      (profile) => ({ error: "E", warning: "W", none: "" })[levelFor(rule, profile) ?? "none"],
    );
    return `|\`${rule.id}\`|${levels.join("|")}|${why(rule.reason)}|${rule.certain ?? ""}|`;
  });
  const table = [
    `|rule|${profiles.join("|")}|why|\`--fix\`|`,
    `|-|${profiles.map(() => "-|").join("")}-|-|`,
    ...rows,
  ];
  return `${[introduction, "## Rules", table.join("\n"), handlers].join("\n\n")}\n`;
}

/** The first clause of a reason, without what the heads of the columns say. */
function why(reason: string): string {
  return firstClause(reason)
    .replace(
      /In the field `parameters` of function declarations |, together with all tools of the request/g,
      "",
    )
    .replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

/** Returns a text to its first full stop, semicolon or colon outside of code. */
export function firstClause(text: string): string {
  return /^(?:`[^`]*`|[.;:](?! |$)|[^.;:])*/.exec(text)![0];
}
