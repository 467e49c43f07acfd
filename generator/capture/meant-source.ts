import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { closest } from "../diagnostics/suggest.js";

/** Programs that start servers, as the first word of a command. */
const starters =
  /^(?:node|nodejs|bun|bunx|deno|npx|npm|pnpm|pnpx|yarn|tsx|python\d?(?:\.\d+)?|py|uv|uvx|pipx|docker|podman|java|dotnet|go|ruby|php)(?:\.exe|\.cmd)?$/i;

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

/**
 * The right form of a text that is nearly a SOURCE: a URL without its scheme or with a misspelt one, a command or a program
 * without `stdio:`, a file whose name is spelt otherwise.
 *
 * @param directory where relative paths start
 */
export function meantSource(source: string, directory: string): string | undefined {
  return meantUrl(source) ?? meantCommand(source, directory) ?? meantFile(source, directory);
}

/** Advice for such a text. */
export function meantAdvice(source: string, directory: string): string | undefined {
  const meant = meantSource(source, directory);
  return meant === undefined
    ? undefined
    : `Did you mean ${/\s/.test(meant) ? JSON.stringify(meant) : meant}?`;
}

function meantUrl(source: string): string | undefined {
  const [, scheme = "", slashes = "", rest = ""] =
    /^([a-z]{3,6})(:?\/{1,3}|:)([^\s/].*)$/i.exec(source) ?? [];
  const known =
    ["http", "https"].find((each) => each === scheme.toLowerCase()) ?? nearScheme(scheme, slashes);
  const url = known === undefined ? undefined : `${known}://${rest}`;
  if (url !== undefined) return url !== source && URL.canParse(url) ? url : undefined;
  if (hosts.test(source)) return `http://${source}`;
  return domains.test(source) ? `https://${source}` : undefined;
}

/** `htp://` and the like; other schemes are other things. */
function nearScheme(scheme: string, slashes: string): string | undefined {
  if (slashes !== "://" || /^(?:file|stdio|ftps?|wss?|unix)$/i.test(scheme)) return undefined;
  return closest(scheme.toLowerCase(), ["https", "http"]);
}

function meantCommand(source: string, directory: string): string | undefined {
  const [first = "", ...more] = source.trim().split(/\s+/);
  if (/^std(?:io|in|out)?$/i.test(first.replace(/:.*$/, "")) && !/^stdio:/i.test(source)) {
    const command = source.replace(/^[a-z]+[:\s]*(?:\/\/)?/i, "");
    return command === "" ? undefined : `stdio:${command}`;
  }
  if (more.length > 0 && starters.test(basename(first))) return `stdio:${source.trim()}`;
  const program = isFile(resolve(directory, first)) ? programOf(first, directory) : undefined;
  return program === undefined ? undefined : `stdio:${[program, ...more].join(" ")}`;
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
  if (isFile(resolve(directory, source)) || /^[a-z]+:/i.test(source)) return undefined;
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
