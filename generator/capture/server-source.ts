import { CodedError } from "../diagnostics/coded-error.js";
import { shortText } from "../print/terminal-text.js";
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { closest } from "../diagnostics/suggest.js";
import { addressWithoutLogin, loginOf, secrets, shownWords, splitWords } from "../secrets/secrets.js";
import type { Runtime } from "./runtime.js";

/** A server program on standard input and output. */
interface ProcessAddress {
  readonly kind: "stdio";
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpAddress {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns additional headers for each connection, which replace headers of the same name. */
  readonly moreHeaders?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
}

/** A server named in a host's configuration. */
export interface NamedServer {
  readonly name: string;
  /** The configuration file's path in messages. */
  readonly file: string;
  readonly address: ServerAddress;
}

/** What starts or reaches a server. */
export type ServerAddress = ProcessAddress | HttpAddress;

/** A SOURCE as written, or the named server it refers to. */
export type ServerSource = string | NamedServer;

/**
 * What starts or reaches the server that a SOURCE names. A name and a password in a URL become a header, because `fetch`
 * rejects them in URLs, and errors would quote them. Output hides what may be secret from then on.
 *
 * @param directory folder in which the command of a SOURCE starts
 * @throws CodedError MG2014 for a SOURCE that is not a server
 */
export function addressOf(
  source: ServerSource,
  directory: string,
  { parseStdioSource }: Pick<Runtime, "parseStdioSource">,
): ServerAddress {
  const written = (text: string): ServerAddress =>
    kindOfServer(text) === "stdio"
      ? { kind: "stdio", command: parseStdioSource(text), cwd: directory, env: {} }
      : { kind: "http", url: text, headers: {} };
  const address = typeof source === "string" ? written(source) : source.address;
  if (address.kind === "stdio") {
    secrets.learnWords(address.command);
    secrets.learnVariables(address.env);
    return address;
  }
  if (!URL.canParse(address.url)) throw noServer(address.url, directory);
  secrets.learnUrl(address.url);
  const url = new URL(address.url);
  const login = loginOf(url);
  if (login === undefined) return address;
  [url.username, url.password] = ["", ""];
  const basic = { Authorization: `Basic ${Buffer.from(login).toString("base64")}` };
  return { ...address, url: url.href, headers: replacing(basic, address.headers) };
}

/** Merges headers; later ones replace earlier ones of the same name, ignoring case. */
export function replacing(
  headers: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...others };
}

/** The transport of a source's server; undefined if the source is not a server. */
export function kindOfServer(source: ServerSource): "stdio" | "http" | undefined {
  if (typeof source !== "string") return source.address.kind;
  if (/^stdio:/i.test(source)) return "stdio";
  return /^https?:\/\//i.test(source) ? "http" : undefined;
}

/** Whether a SOURCE is a server, rather than a file, a revision or standard input. */
export function isServerSource(source: ServerSource): boolean {
  return kindOfServer(source) !== undefined;
}

/**
 * The error for a SOURCE that should be a server but is not.
 *
 * @param directory the folder that relative paths start from
 */
export function noServer(source: string, directory: string): CodedError {
  return new CodedError(
    "MG2014",
    `expected a server: http(s)://…, stdio:COMMAND … or a name, got ${JSON.stringify(source)}`,
    {
      next:
        meantAdvice(source, directory) ??
        (/^[a-z]+:/i.test(source)
          ? "Servers are reached over http, https, and stdio."
          : `For a server that this command starts, write "stdio:${source}"; \`mcpgen list\` shows those with a name.`),
    },
  );
}

/** Whether a SOURCE may hold a secret: a login, a value in a URL's query, an assignment or a secret option. */
export function mayHoldSecret(source: string): boolean {
  const words = splitWords(source);
  return shownWords(words).join(" ") !== words.join(" ");
}

/**
 * A SOURCE for messages, without passwords, values of a URL's query (often keys), and parts of a command that
 * look secret. A named server is shown by its name.
 *
 * @param shown what is shown of words; `publicWords` for pages
 */
export function shownSource(
  source: ServerSource,
  shown: (words: readonly string[]) => string[] = shownWords,
): string {
  if (typeof source !== "string") return source.name;
  if (/^https?:/i.test(source)) return shown([addressWithoutLogin(source)])[0]!;
  const [, scheme = "", command = ""] = /^(stdio:)?([^]*)$/i.exec(source)!;
  const words = shown(splitWords(command)).map((word) => (/\s/.test(word) ? JSON.stringify(word) : word));
  return shortText(scheme + words.join(" "), 200);
}

/** Programs that start servers, as the first word of a command. */
const starters =
  /^(?:node|nodejs|bun|bunx|deno|npx|npm|pnpm|pnpx|yarn|tsx|sh|bash|zsh|cmd|pwsh|powershell|env|cargo|dart|make|python\d?(?:\.\d+)?|py|uv|uvx|pipx|docker|podman|java|dotnet|go|ruby|php)(?:\.exe|\.cmd)?$/i;

/** The program that runs a file, by extension. */
const runners: Readonly<Record<string, string>> = {
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".ts": "npx tsx",
  ".mts": "npx tsx",
  ".py": "python",
  ".rb": "ruby",
  ".php": "php",
  ".jar": "java -jar",
};

/**
 * Matches hosts that cannot be file names: `localhost` or an address. A word such as `server.js` is not a
 * host.
 */
const hosts = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?][^\s]*)?$/i;
const domains = /^[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d{1,5}(?:[/?][^\s]*)?|\/[^\s]*)$/i;
/** Matches host names with a top-level domain that is unusual as a file extension. */
const topLevel = /^(?:[a-z\d-]+\.)+(?:ai|app|cloud|com|dev|io|net|org)\/?$/i;

/**
 * The correct form of a text that resembles a SOURCE: a URL with a missing or misspelt scheme, a command or
 * program without `stdio:`, or a misspelt file name.
 *
 * @param directory the folder that relative paths start from
 */
export function meantSource(source: string, directory: string): string | undefined {
  // An existing file is meant as such, unless it is a program.
  if (isFile(resolve(directory, source))) return startOf(source, directory);
  return meantFile(source, directory) ?? meantUrl(source, directory) ?? meantCommand(source, directory);
}

/** Advice for a text that resembles a SOURCE. */
export function meantAdvice(source: string, directory: string): string | undefined {
  const meant = meantSource(source, directory);
  return meant === undefined
    ? undefined
    : `Did you mean ${/\s/.test(meant) ? JSON.stringify(meant) : meant}?`;
}

function meantUrl(source: string, directory: string): string | undefined {
  const [, scheme = "", mark = "", rest = ""] =
    /^([a-z]{3,6})([:;]?[\\/]{1,3}|[:;])([^\s\\/].*)$/i.exec(source) ?? [];
  const known = ["http", "https"].find((each) => each === scheme.toLowerCase()) ?? nearScheme(scheme, mark);
  const url = known === undefined ? undefined : `${known}://${rest.replaceAll("\\", "/")}`;
  if (url !== undefined) return url !== source && URL.canParse(url) ? url : undefined;
  // A URL without a host (`:3000/mcp`) or without a scheme (`//example.com/mcp`).
  if (/^:\d{2,5}(?:\/|$)/.test(source)) return `http://localhost${source}`;
  const host = source.replace(/^\/\//, "");
  if (hosts.test(host)) return `http://${host}`;
  const isFolder =
    statSync(resolve(directory, source, ".."), { throwIfNoEntry: false })?.isDirectory() === true;
  const isPath = isFolder && /[\\/]/.test(source);
  return !isPath && (domains.test(host) || topLevel.test(host)) ? `https://${host}` : undefined;
}

/** Corrects `htp://` and the like; undefined for other schemes. */
function nearScheme(scheme: string, mark: string): string | undefined {
  if (mark !== "://" || /^(?:file|stdio|ftps?|wss?|unix)$/i.test(scheme)) return undefined;
  return closest(scheme.toLowerCase(), ["https", "http"]);
}

function meantCommand(source: string, directory: string): string | undefined {
  const [first = "", ...more] = source.trim().split(/\s+/);
  if (/^std(?:io|in|out)?$/i.test(first.replace(/:.*$/, "")) && !/^stdio:/i.test(source)) {
    const command = source.replace(/^[a-z]+[:\s]*(?:\/\/)?/i, "");
    return command === "" ? undefined : `stdio:${command}`;
  }
  if (more.length > 0 && starters.test(basename(first))) return `stdio:${source.trim()}`;
  const ofPackage = packageCommand(source);
  if (ofPackage !== undefined) return ofPackage;
  const start = isFile(resolve(directory, first)) ? startOf(first, directory) : undefined;
  return start === undefined ? undefined : [start, ...more].join(" ");
}

/** The SOURCE that starts the program of a package of npm with a scope; undefined for other texts. */
export function packageCommand(text: string): string | undefined {
  return /^@[a-z\d][\w.-]*\/[a-z\d][\w.-]*(?:@[\w.-]+)?(?:\s|$)/i.test(text)
    ? `stdio:npx -y ${text}`
    : undefined;
}

/** The SOURCE that starts a program file; undefined for other files. */
function startOf(file: string, directory: string): string | undefined {
  const program = programOf(file, directory);
  return program === undefined ? undefined : `stdio:${program}`;
}

/** The command that starts a program file. */
function programOf(file: string, directory: string): string | undefined {
  const runner = runners[extname(file).toLowerCase()];
  if (runner !== undefined) return `${runner} ${file}`;
  const isExecutable = extname(file) === "" && (statSync(resolve(directory, file)).mode & 0o111) !== 0;
  return isExecutable ? (/[/\\]/.test(file) ? file : `./${file}`) : undefined;
}

/** A file in the same folder with a similar name. */
function meantFile(source: string, directory: string): string | undefined {
  if (/^[a-z]+:/i.test(source)) return undefined;
  try {
    const folder = dirname(resolve(directory, source));
    const files = readdirSync(folder).filter((name) => isFile(join(folder, name)));
    const meant = closest(
      basename(source),
      files.filter((name) => /\.(?:json|ya?ml)$/i.test(name)),
    );
    return meant === undefined ? undefined : join(dirname(source), meant);
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
