import { catalogue } from "../generator/diagnostics/catalogue.js";
import type { Diagnostic } from "../generator/diagnostics/diagnostic.js";
import type { ErrorCode } from "../runtime/base/jsonrpc/errors.js";

/** The subject of all codes that begin with these four characters. */
const groups: Readonly<Record<string, string>> = {
  MG10: "Files, templates and JSON",
  MG11: "Schemas",
  MG12: "Notes, lock and documentation",
  MG13: "Extensions",
  MG20: "The command line",
  MG21: "The configuration",
  MG22: "Servers that a host's configuration names",
  MG30: "Writing output",
  MG31: "Check and drift",
  MG32: "Comparing revisions",
  MG40: "Downloads",
  MG41: "Connecting to servers",
  MG60: "Contracts",
  MG63: "What a server offers, and its contract",
  MG64: "New projects",
  MG65: "Handlers",
  MG66: "What hosts refuse",
  MG67: "Packaging a server",
  MG68: "The development loop",
  MG70: "Bugs",
};

interface RuntimeCode {
  readonly meaning: string;
  readonly advice: string;
}

/** The texts for the codes of `McpError`. The type requires an entry for each code. */
const runtimeCodes: Readonly<Record<ErrorCode, RuntimeCode>> = {
  "parse-error": {
    meaning: "A message is not JSON.",
    advice: "On stdio, look for text on standard output.",
  },
  "invalid-request": {
    meaning: "A message is no JSON-RPC message that is allowed at this point.",
    advice: "",
  },
  "method-not-found": {
    meaning: "The other side or the negotiated revision does not have the method.",
    advice: "Check `client.serverCapabilities` and `client.revision`.",
  },
  "invalid-params": {
    meaning: "The parameters of a request are wrong.",
    advice: "",
  },
  "internal-error": {
    meaning: "A handler failed, or its result is not what the method allows.",
    advice: "Read the event `handler-error` of the server, or its standard error.",
  },
  "unsupported-version": {
    meaning: "Client and server have no protocol revision in common.",
    advice: "Pass more `revisions`, or remove `revision` or `revisions.speaks`.",
  },
  "missing-capability": {
    meaning: "The other side has not declared a capability that the request needs.",
    advice:
      "Client: pass the handler (`elicit`, `sample`, `roots`). Server: check `clientCapabilities` first.",
  },
  "resource-not-found": {
    meaning: "The server has no resource with this URI.",
    advice: "List the resources again.",
  },
  "state-lost": {
    meaning:
      "The call that waited for an answer is gone; `data.cause` is `expired`, `cancelled` or `not-here` (another process).",
    advice:
      "Call the tool again ([several processes](tasks/ask-the-user.md#restarts-and-several-processes)).",
  },
  "state-used": {
    meaning: "The `requestState`, or a later one, was used before.",
    advice: "Use each state once.",
  },
  "asks-limit": {
    meaning: "More calls wait for answers of clients than the bounds allow.",
    advice: "Raise `state.parking` of the server ([bounds](tasks/ask-the-user.md#bounds)).",
  },
  "ask-expired": {
    meaning: "The client did not answer in time.",
    advice: "Call the tool again. For longer waits, use a task.",
  },
  "state-rejected": {
    meaning: "The `requestState` is forged, too long, or of another caller or request.",
    advice: "Call the tool again. Give processes that share clients the same `state.keys`.",
  },
  "not-expressible": {
    meaning: "The message has no form at the negotiated revision.",
    advice: "Return a value that older revisions have, or serve fewer (`revisions.speaks`). Send no batches.",
  },
  "invalid-message": {
    meaning: "A message is not what its revision defines (`validation.send`), and was not sent.",
    advice: "Correct the value at `data.pointer`.",
  },
  "remote-error": {
    meaning: "The other side answered with an error; `rpcCode` and `data` are what it sent.",
    advice: "Handle it by `rpcCode`.",
  },
  "invalid-result": {
    meaning: "A result does not match the schema of the method, the tool or the contract.",
    advice: "`mcpgen check --server` shows what changed.",
  },
  timeout: {
    meaning:
      "No answer and no progress in time; `data.timer` names the option. With `rpcCode` −31408, a `timeLimit` of the other side.",
    advice: "Raise `timeout` or `totalTimeout`, or send progress.",
  },
  cancelled: {
    meaning: "A signal aborted the request, or the other side cancelled it.",
    advice: "",
  },
  "connection-closed": {
    meaning: "The connection ended before the answer, or the server refused the request over HTTP.",
    advice:
      "Read `data`: status and body, or exit code and standard error; over HTTP `interrupted: true` if the server may have run the request.",
  },
  "session-lost": {
    meaning: "The server has ended the HTTP session.",
    advice: "Send the request again.",
  },
  "spawn-failed": {
    meaning: "The server's program cannot be started.",
    advice: "Check the command and PATH.",
  },
  "authorize-failed": {
    meaning: "`http.authorize` failed.",
    advice: "",
  },
  "listen-failed": {
    meaning: "`serveHttp` cannot listen on the port.",
    advice: "Choose another `port`, or 0 for any free port.",
  },
  "message-too-long": {
    meaning: "A message is longer than `limit`.",
    advice: "Raise `limit`, or read the data in parts.",
  },
  "rate-limited": {
    meaning: "The other side allows no more requests at this time (−31429, or HTTP 429).",
    advice: "Wait `data.retryAfterMs` milliseconds.",
  },
  "limit-exceeded": {
    meaning: "The other side asks for more than the limit `data.limit` allows.",
    advice: "Raise the limit only for a peer that you trust.",
  },
  "store-failed": {
    meaning: "The store of sessions or tasks failed. Clients get 503 or −32603.",
    advice: "",
  },
  "wrong-server": {
    meaning: "A stored task belongs to another server.",
    advice: "If the server has moved, give `tasks()` its `endpoint`.",
  },
  "list-incomplete": {
    meaning: "A list repeats a page or passes a bound; `data.items` has what was read.",
    advice: "Raise `maxPages`, `maxItems` or `maxCharacters`.",
  },
  "contract-drift": {
    meaning:
      "The server differs from the `contract` of `connect`: `data.drift`, `data.list`, `data.name`. Nothing was sent.",
    advice: "See `mcpgen diff`. To approve, capture again.",
  },
  "invalid-definition": {
    meaning: "An option, tool, resource, prompt or revision is defined wrongly.",
    advice: "",
  },
};

/** Returns the text of docs/errors.md: a row for each code. */
export function errorList(): string {
  const tables = Object.entries(groups).map(([group, title]) => {
    const codes = codesOf(group);
    const usual = mostFrequent(codes.map(([, { exit }]) => exit));
    const rows = codes.map((code) => rowOf(code, usual));
    return `### ${group}xx: ${title}\n\n|exit|${usual}|\n|-|-|\n${rows.join("\n")}`;
  });
  return `${[introduction(), runtimeSection(), commandLine, ...tables].join("\n\n")}\n`;
}

/** Returns the full manual, which the site shows as the page of docs/errors.md: an entry for each code. */
export function errorManual(): string {
  const sections = Object.entries(groups).map(([group, title]) =>
    [`## ${group}xx: ${title}`, ...codesOf(group).map(entry)].join("\n\n"),
  );
  return `${[introduction(), runtimeSection(), ...sections].join("\n\n")}\n`;
}

function introduction(): string {
  return `# Error codes

\`npx mcpgen explain CODE\` prints cause and correction of a code of the command line, such as \`MG1105\`. The runtime throws
\`McpError\` with a [name](#codes-of-the-runtime) as its \`code\`. Codes never get another meaning; texts of messages may change
([versions](versioning.md)). [Exit codes](command-line.md#exit-codes).`;
}

function runtimeSection(): string {
  const rows = Object.entries(runtimeCodes).map(
    ([code, { meaning, advice }]) => `|\`${code}\`|${meaning}|${advice}|`,
  );
  return `## Codes of the runtime

\`rpcCode\` is the JSON-RPC code that was received or is sent. Where the last cell is
empty, the message names what is wrong.

|code|meaning|what to do|
|-|-|-|
${rows.join("\n")}`;
}

const commandLine = `## Codes of the command line

The head of a table has the exit code of its errors. A code in parentheses differs; (0) is a warning or information, (or 0) an
error or a warning.`;

/** The codes of a group, in order. */
function codesOf(group: string): (readonly [string, Diagnostic])[] {
  const codes: readonly [string, Diagnostic][] = Object.entries(catalogue);
  const unknown = codes.filter(([code]) => groups[code.slice(0, 4)] === undefined);
  if (unknown.length > 0) throw new Error(`${unknown[0]![0]} is in no group of scripts/error-manual.ts`);
  return codes.filter(([code]) => code.startsWith(group)).sort(([one], [other]) => (one < other ? -1 : 1));
}

function rowOf([code, { title, exit, mayWarn }]: readonly [string, Diagnostic], usual: number): string {
  const own = [...(exit === usual ? [] : [String(exit)]), ...(mayWarn ? ["or 0"] : [])].join(" ");
  return `|${code}|${escaped(title)}${own && ` (${own})`}|`;
}

function mostFrequent(values: readonly number[]): number {
  const count = (value: number): number => values.filter((each) => each === value).length;
  return [...values].sort((one, other) => count(other) - count(one))[0]!;
}

function entry([code, diagnostic]: readonly [string, Diagnostic]): string {
  const { title, explanation } = diagnostic;
  return `### ${code}\n\n**${title}.** ${effectOf(diagnostic)}.\n\n${escaped(explanation)}`;
}

function effectOf({ exit, mayWarn, informs }: Diagnostic): string {
  if (informs) return "Information";
  if (exit === 0) return "Warning";
  return mayWarn ? `Error with exit code ${exit}, or warning` : `Exit code ${exit}`;
}

/** Escapes angle brackets outside of code, where they would be HTML. */
function escaped(text: string): string {
  return text.replace(/`[^`]*`|</g, (match) => (match === "<" ? "&lt;" : match));
}
