import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { closest } from "../diagnostics/suggest.js";

/** Programs that start servers, as the first word of a command. */
const starters =
  /^(?:node|nodejs|bun|bunx|deno|npx|npm|pnpm|pnpx|yarn|tsx|sh|bash|zsh|cmd|pwsh|powershell|env|cargo|dart|make|python\d?(?:\.\d+)?|py|uv|uvx|pipx|docker|podman|java|dotnet|go|ruby|php)(?:\.exe|\.cmd)?$/i;

/** The program that runs a file of an extension. */
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

/** Names that are also file extensions or folders: a word such as `server.js` is no host. */
const hosts = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?][^\s]*)?$/i;
const domains = /^[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d{1,5}(?:[/?][^\s]*)?|\/[^\s]*)$/i;
/** Names of hosts that end as few files do. */
const topLevel = /^(?:[a-z\d-]+\.)+(?:ai|app|cloud|com|dev|io|net|org)\/?$/i;

/**
 * The right form of a text that is nearly a SOURCE: a URL without its scheme or with a misspelt one, a command or a program
 * without `stdio:`, a file whose name is spelt otherwise.
 *
 * @param directory where relative paths start
 */
export function meantSource(source: string, directory: string): string | undefined {
  // What is there is meant, unless it is a program.
  if (isFile(resolve(directory, source))) return startOf(source, directory);
  return meantFile(source, directory) ?? meantUrl(source, directory) ?? meantCommand(source, directory);
}

/** Advice for such a text. */
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
  // Some leave the host out, others the scheme alone: `:3000/mcp`, `//example.com/mcp`.
  if (/^:\d{2,5}(?:\/|$)/.test(source)) return `http://localhost${source}`;
  const host = source.replace(/^\/\//, "");
  if (hosts.test(host)) return `http://${host}`;
  const isFolder =
    statSync(resolve(directory, source, ".."), { throwIfNoEntry: false })?.isDirectory() === true;
  const isPath = isFolder && /[\\/]/.test(source);
  return !isPath && (domains.test(host) || topLevel.test(host)) ? `https://${host}` : undefined;
}

/** `htp://` and the like; other schemes are other things. */
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
  const start = isFile(resolve(directory, first)) ? startOf(first, directory) : undefined;
  return start === undefined ? undefined : [start, ...more].join(" ");
}

/** The SOURCE of a file that is a program. */
function startOf(file: string, directory: string): string | undefined {
  const program = programOf(file, directory);
  return program === undefined ? undefined : `stdio:${program}`;
}

/** How a file that is a program is started. */
function programOf(file: string, directory: string): string | undefined {
  const runner = runners[extname(file).toLowerCase()];
  if (runner !== undefined) return `${runner} ${file}`;
  const isExecutable = extname(file) === "" && (statSync(resolve(directory, file)).mode & 0o111) !== 0;
  return isExecutable ? (/[/\\]/.test(file) ? file : `./${file}`) : undefined;
}

/** A file of a similar name in the same folder. */
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
