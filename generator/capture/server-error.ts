import type { CodeOfError } from "../diagnostics/catalogue.js";
import { type CodedErrorDetails, CodedError } from "../diagnostics/coded-error.js";
import { networkAdvice, networkMessage } from "../files/proxies.js";
import { oneLine, shortText } from "../print/terminal-text.js";
import { secrets } from "../secrets/secrets.js";
import type { Links } from "./runtime.js";
import { type ServerSource, kindOfServer, packageCommand, shownSource } from "./server-source.js";
import { isJsonObject } from "@mcpgen/engine";

/** An error of the runtime (runtime/base/jsonrpc/errors.ts). Programs check its code. */
interface RuntimeError extends Error {
  readonly code: string;
  readonly rpcCode?: number;
  readonly data?: unknown;
}

interface Kind {
  readonly code: CodeOfError;
  readonly next: string;
  /** Advice for a server that is a URL, if it differs. */
  readonly url?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  "spawn-failed": {
    code: "MG4101",
    next: "Check the command: stdio:COMMAND ARGUMENTS…, started without a shell.",
  },
  "connection-closed": {
    code: "MG4102",
    next: "Start the server yourself and read what it prints; --env NAME passes a variable on.",
    url: "Check the address, and that the server runs there.",
  },
  // No request was sent, because the address or a header is invalid.
  "invalid-definition": {
    code: "MG4102",
    next: "Check the command and its options.",
    url: "Check the address and the values of --header.",
  },
  "session-lost": { code: "MG4102", next: "Run the command again." },
  timeout: {
    code: "MG4103",
    next: "Check that it is an MCP server on standard input and output; --timeout SECONDS gives it more time.",
    url: "Check that the address is an MCP server's; --timeout SECONDS gives it more time.",
  },
  "missing-capability": { code: "MG4105", next: "`mcpgen list SOURCE` shows what the server offers." },
  "resource-not-found": {
    code: "MG4105",
    next: "`mcpgen list SOURCE` shows the resources of the server.",
  },
  "unsupported-version": {
    code: "MG4104",
    next: "Check that it is an MCP server; leave --revision out, or generate a revision that it supports.",
    url: "Check that the address is an MCP server's; leave --revision out, or generate a revision that it supports.",
  },
};

/** Code and advice for a request that the server refused with 401 or 403; undefined for other errors. */
function refusalOf(
  { code, data }: RuntimeError,
  credentials: readonly string[],
): { readonly code: CodeOfError; readonly next: string } | undefined {
  // The data of every other code comes from the server's error object.
  if (code !== "connection-closed") return undefined;
  const { status, challenge } = (data ?? {}) as { readonly status?: number; readonly challenge?: string };
  if (status === 403)
    return {
      code: "MG4102",
      next: "Check what the credentials allow; --header NAME:VALUE sends an authorization header.",
    };
  if (status !== 401) return undefined;
  if (credentials.length > 0)
    return {
      code: "MG4107",
      next: `Check the credentials in ${credentials.join(", ")}: the server refuses them.`,
    };
  const scheme = /^[\w-]{1,40}/.exec(challenge ?? "")?.[0] ?? "Bearer";
  return { code: "MG4106", next: `Send what it asks for, e.g. --header "Authorization: ${scheme} …".` };
}

/** For all other codes: the message quotes the server's response. */
const answered: Kind = {
  code: "MG4105",
  next: "Read the server's log: the error comes from the server.",
};

export function isRuntimeError(error: unknown): error is RuntimeError {
  return error instanceof Error && error.name === "McpError" && "code" in error;
}

/** Whether the server has refused the params of a request: an unknown name or id, or other arguments (JSON-RPC 2.0, section 5.1). */
export function refusesParams(error: unknown): error is RuntimeError {
  return isRuntimeError(error) && error.rpcCode === -32602;
}

/** The facts of a link to a server that explain its errors. */
interface LinkFacts {
  /** Names of the headers with credentials that were sent. */
  readonly credentials: readonly string[];
  /** The last part of its standard error. */
  readonly printed: string;
  /** Describes its non-message output on standard output. */
  readonly stray: string | undefined;
}

/** Whether the server did not respond within the time limit. */
export function isTimeout(error: unknown): boolean {
  return isRuntimeError(error) && error.code === "timeout";
}

/** Error with the runtime's timeout code for a server that did not respond in time. */
export class Silence extends Error {
  override readonly name = "McpError";
  readonly code = "timeout";

  /**
   * @param waited waiting time in milliseconds
   * @param the operation without a response
   */
  constructor(waited: number, what: "opening of the connection" | "request" = "opening of the connection") {
    super(`no answer to the ${what} within ${waited} ms`);
  }
}

/**
 * Converts an error of the runtime to a coded error for the user; returns other errors unchanged.
 *
 * @param source as named by the user; it is shown without secrets
 * @param runtime checks URLs before they are shown
 */
export function serverError(
  error: unknown,
  source: ServerSource,
  { credentials, printed, stray }: LinkFacts,
  runtime: Links,
): unknown {
  if (!isRuntimeError(error)) return error;
  const shown = shownSource(source);
  const said = error.message.replace(/; its last line on standard error: [^]*$/, "");
  const text = oneLine(typeof source === "string" ? said.replaceAll(source, shown) : said, " ");
  // The options of the library are not the ones of the command line.
  const message = networkMessage(text)
    .replace("give http.headers or http.authorize; ", "")
    .replace(" (give http.headers or http.authorize)", "");
  const common = { place: { file: shown }, cause: error };
  const { detail: data, facts } = errorData(error);
  const pages = pagesText(error, runtime);
  if (pages !== undefined)
    return new CodedError("MG4109", message, {
      ...common,
      ...(facts && { facts }),
      detail: pages,
      next: openPages,
    });
  const kind = kinds[error.code] ?? answered;
  const { code, next } = refusalOf(error, credentials) ?? {
    code: kind.code,
    next: (kindOfServer(source) === "http" ? kind.url : undefined) ?? kind.next,
  };
  const stderr = stderrOf(error.data) ?? printed;
  const detail = [data ?? "", lastLines(stderr)].filter((text) => text !== "");
  return new CodedError(code, stray === undefined ? message : `${message}; ${stray}`, {
    ...common,
    next:
      stray === undefined
        ? (addressAdvice(error, source) ?? packageAdvice(error, source) ?? moduleAdvice(stderr) ?? next)
        : quietOutput,
    ...(detail.length > 0 && { detail: detail.join("\n") }),
    ...(facts && { facts }),
  });
}

/** Advice for an error of the network; errors of the server itself and of a process may quote another one. */
function addressAdvice(error: RuntimeError, source: ServerSource): string | undefined {
  if (error.rpcCode !== undefined || kindOfServer(source) !== "http") return undefined;
  const url = typeof source === "string" ? source : "url" in source.address ? source.address.url : undefined;
  return networkAdvice(error, url && shownSource(url));
}

/** Advice for a command that is the name of a package. */
function packageAdvice({ code }: RuntimeError, source: ServerSource): string | undefined {
  const meant =
    code === "spawn-failed" && typeof source === "string"
      ? packageCommand(source.slice("stdio:".length))
      : undefined;
  return meant === undefined ? undefined : `Did you mean ${JSON.stringify(meant)}?`;
}

const openPages = "Open each page yourself, if you trust its host; then run the command again.";

const quietOutput =
  "Make the server print only MCP messages on standard output, and everything else on standard error.";

/** What Node.js prints for a file that it reads as the wrong kind of module, and the correction. */
const moduleFaults: readonly (readonly [RegExp, string])[] = [
  [
    /outside a module|ERR_REQUIRE_ESM|SyntaxError: Unexpected token 'export'|top level bodies of modules/,
    'Node.js reads the file as CommonJS, and it is an ES module: rename it to .mjs, or set "type": "module" in package.json.',
  ],
  [
    /is not defined in ES module scope/,
    'Node.js reads the file as an ES module, and it is CommonJS: rename it to .cjs, or remove "type": "module" from package.json.',
  ],
];

function moduleAdvice(stderr: string): string | undefined {
  return moduleFaults.find(([fault]) => fault.test(stderr))?.[1];
}

/**
 * The standard error of an ended process, from the error's data: the runtime starts a server twice if the
 * first start fails.
 */
function stderrOf(data: unknown): string | undefined {
  const stderr = typeof data === "object" && data !== null && "stderr" in data ? data.stderr : undefined;
  return typeof stderr === "string" ? stderr : undefined;
}

/** The last lines of a program's output, with one frame of each stack: its message stands above the frames. */
export function lastLines(text: string): string {
  const all = secrets.hide(text).trimEnd().split(/\r?\n/);
  const isFrame = (line = ""): boolean => /^\s+at /.test(line);
  const lines = all.filter((line, index) => !isFrame(line) || !isFrame(all[index - 1]));
  const shown = lines.slice(-10).map((line) => shortText(line, 300));
  return [...(lines.length > shown.length ? ["…"] : []), ...shown].join("\n");
}

/** A JSON-RPC error from a server, as thrown by the runtime. */
interface ReceivedError {
  readonly rpcCode?: number;
  readonly data?: unknown;
}

/** Error code with pages that the user must open before the request can succeed (2025-11-25, elicitation). */
const urlElicitationRequired = -32042;

/** Maximum number of characters of data in text output; JSON output has all. */
const maxShown = 1000;

/** The data of a server's error besides its message. */
export function errorData({
  rpcCode: code,
  data,
}: ReceivedError): Pick<CodedErrorDetails, "detail" | "facts"> {
  if (code === undefined) return {};
  const facts = { rpc: { code, ...(data !== undefined && { data }) } };
  if (data === undefined || data === null) return { facts };
  const text = JSON.stringify(data);
  return { facts, detail: `data: ${shortText(text, maxShown)}` };
}

/**
 * Describes the pages that an error asks the user to open: the message, complete URL and host of each. They
 * are shown and never opened (2025-11-25, elicitation, safe URL handling).
 *
 * @returns undefined for other errors, and if no page is named
 */
function pagesText({ rpcCode, data }: ReceivedError, { pageProblem }: Links): string | undefined {
  if (rpcCode !== urlElicitationRequired || typeof data !== "object" || data === null) return undefined;
  const { elicitations } = data as { readonly elicitations?: unknown };
  const lines = (Array.isArray(elicitations) ? elicitations : []).flatMap((page: unknown) => {
    if (!isJsonObject(page as never)) return [];
    const { url, message } = page as { readonly url?: unknown; readonly message?: unknown };
    if (typeof url !== "string") return [];
    const problem = pageProblem(url);
    return [
      ...(typeof message === "string" ? [message] : []),
      url,
      problem === undefined ? `its host is ${new URL(url).host}` : `do not open it: ${problem}`,
    ];
  });
  return lines.length > 0 ? lines.join("\n") : undefined;
}
