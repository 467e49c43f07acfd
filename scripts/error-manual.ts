import { exitCodes } from "../generator/command/command.js";
import { catalogue } from "../generator/diagnostics/catalogue.js";
import type { Diagnostic } from "../generator/diagnostics/diagnostic.js";
import type { ErrorCode } from "../runtime/base/jsonrpc/errors.js";

const command = "node scripts/run-ts.mjs scripts/errors.ts";

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
    advice: "Check what the other side writes. On stdio, look for text on standard output.",
  },
  "invalid-request": {
    meaning: "A message is JSON, but not a JSON-RPC message that is allowed at this point.",
    advice: "Read the message: it names the member. Check the order of the handshake.",
  },
  "method-not-found": {
    meaning: "The other side does not have the method, or the negotiated revision does not have it.",
    advice: "Check `client.serverCapabilities` and `client.revision` before the call.",
  },
  "invalid-params": {
    meaning: "The parameters of a request are wrong.",
    advice: "Read the message: it names the member and what is expected there.",
  },
  "internal-error": {
    meaning: "A handler failed, or its result is not what the method allows.",
    advice:
      "Read the events `handler-error` of the server (`onEvent`), or its standard error. The client does not get the details.",
  },
  "unsupported-version": {
    meaning: "Client and server have no protocol revision in common.",
    advice: "Pass more `revisions`, or remove `revision` (client) or `revisions.speaks` (server).",
  },
  "missing-capability": {
    meaning: "The other side has not declared the capability that the request needs.",
    advice:
      "Client: pass the handler (`elicit`, `sample`, `roots`). Server: check `clientCapabilities` first.",
  },
  "resource-not-found": {
    meaning: "The server has no resource with this URI.",
    advice: "List the resources again. In a handler, throw `resourceNotFound(uri, context)`.",
  },
  "state-lost": {
    meaning:
      "The call that waited for an answer is gone; `data.cause` is `expired`, `cancelled` or `not-here` (the process was started again, or another one got the answer). Nothing was repeated.",
    advice:
      "Call the tool again. If clients reach several processes, see [ask the user](tasks/ask-the-user.md#restarts-and-several-processes).",
  },
  "state-used": {
    meaning:
      "The `requestState` of a multi round-trip request, or a later one, was used before. Nothing was repeated.",
    advice: "Use each state once. An answer that was lost is given again for 30 seconds.",
  },
  "asks-limit": {
    meaning: "A handler asks its client, and more calls wait for answers than the bounds allow.",
    advice:
      "Answer the open questions, or let them expire (5 minutes). The server may raise `state.parking` ([bounds](tasks/ask-the-user.md#bounds)).",
  },
  "ask-expired": {
    meaning: "The client did not answer a handler in time: 5 minutes after a question, 10 minutes in all.",
    advice: "Let the user call the tool again. For longer waits, use a task.",
  },
  "state-rejected": {
    meaning:
      "The `requestState` of a multi round-trip request is forged, too long, or of another principal or request.",
    advice: "Call the tool again from the start. Give processes that share clients the same `state.keys`.",
  },
  "not-expressible": {
    meaning: "The message has no form at the negotiated revision.",
    advice:
      "Return a value that older revisions have, or serve fewer revisions (`revisions.speaks`). Send the requests of a batch one by one.",
  },
  "invalid-message": {
    meaning:
      "A message that was to be sent is not what its revision defines (`validation.send`). It was not sent.",
    advice: "Correct the value at `data.pointer`: the handler or the caller gave it.",
  },
  "remote-error": {
    meaning: "The other side answered with an error; `rpcCode` and `data` are what it sent.",
    advice: "Handle it by `rpcCode`.",
  },
  "invalid-result": {
    meaning: "The other side's result does not match the schema of the method, the tool or the contract.",
    advice: "Report it to the author of the server. `mcpgen check --server` shows what changed.",
  },
  timeout: {
    meaning:
      "No answer and no progress arrived in time; `data.timer` names the option. With `rpcCode` −31408, a `timeLimit` of the other side ended the handler.",
    advice: "Raise `timeout` or `totalTimeout`, or send progress from the handler.",
  },
  cancelled: {
    meaning: "A signal aborted the request, or the other side cancelled it.",
    advice: "Nothing is wrong: the application asked for it.",
  },
  "connection-closed": {
    meaning: "The connection ended before the answer, or the server refused the request over HTTP.",
    advice:
      "Read `data`: `status` and `body` over HTTP, exit code and standard error over stdio, `interrupted: true` if the server may have run the request.",
  },
  "session-lost": {
    meaning: "The server has ended the HTTP session.",
    advice: "Send the request again: a new session is opened for it.",
  },
  "spawn-failed": {
    meaning: "The server's program cannot be started.",
    advice: "Check the command and PATH. Workers and browsers start no programs.",
  },
  "authorize-failed": {
    meaning: "The `http.authorize` function of the client failed; `cause` is the error that it threw.",
    advice: "Read `cause`.",
  },
  "listen-failed": {
    meaning: "`serveHttp` cannot listen on the port; `cause` is the error of the platform.",
    advice: "Choose another `port`, or 0 for any free port.",
  },
  "message-too-long": {
    meaning: "A message is longer than `limit`.",
    advice: "Raise `limit`, or read the data in parts.",
  },
  "rate-limited": {
    meaning: "The other side allows no more requests at this time (−31429; over HTTP status 429).",
    advice: "Wait `data.retryAfterMs` milliseconds.",
  },
  "limit-exceeded": {
    meaning: "The other side asks for more than a limit allows; `data.limit` names the limit.",
    advice: "Raise the limit only for a peer that you trust.",
  },
  "store-failed": {
    meaning:
      "A store failed: of sessions of an HTTP server, or of tasks; `cause` is its error. Clients get 503, or −32603.",
    advice: "Read `cause`. Clients try again.",
  },
  "wrong-server": {
    meaning: "A stored task belongs to another server than the one that the client is connected to.",
    advice:
      "Connect to the server that the message names. If it has moved, give `tasks()` the name in the option `endpoint`.",
  },
  "list-incomplete": {
    meaning: "A list repeats a page or passes a bound; `data.items` has the items that were read.",
    advice: "Raise `maxPages`, `maxItems` or `maxCharacters`, or report the repeated page.",
  },
  "invalid-definition": {
    meaning: "An option, tool, resource, prompt or revision is defined wrongly.",
    advice: "Read the message: it names the option or member, and the name that was probably meant.",
  },
};

/** Returns the text of docs/errors.md. */
export function errorManual(): string {
  return `${[introduction(), runtimeSection(), ...compilerSections()].join("\n\n")}\n`;
}

function introduction(): string {
  const exits = [...exitCodes].map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return `# Error codes

This page is generated by \`${command}\`.

Codes are stable and are never used for another error ([stability](stability.md)). Texts of messages may change. The
runtime throws \`McpError\` with a \`code\`; the command line prints codes such as \`MG1105\`, and \`mcpgen explain CODE\` prints
the explanation below without a network.

## Exit codes

| exit code | meaning |
| ---: | --- |
${exits.join("\n")}

mcpgen prints each finding as \`error\` or \`warning\`. A warning does not change the exit code. An entry below says whether its
code is a warning, or may be one.`;
}

function runtimeSection(): string {
  const rows = Object.entries(runtimeCodes).map(
    ([code, { meaning, advice }]) => `| \`${code}\` | ${meaning} | ${advice} |`,
  );
  return `## Codes of the runtime

Every error of \`@mcpgen/runtime\` is an \`McpError\`. \`rpcCode\` is the JSON-RPC code that was received or is sent.

| code | meaning | what to do |
| --- | --- | --- |
${rows.join("\n")}`;
}

function compilerSections(): string[] {
  const codes: readonly [string, Diagnostic][] = Object.entries(catalogue);
  const unknown = codes.filter(([code]) => groups[code.slice(0, 4)] === undefined);
  if (unknown.length > 0) throw new Error(`${unknown[0]![0]} is in no group of scripts/error-manual.ts`);
  return Object.entries(groups).map(([group, title]) => {
    const entries = codes
      .filter(([code]) => code.startsWith(group))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(entry);
    return [`## ${group}xx: ${title}`, ...entries].join("\n\n");
  });
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
