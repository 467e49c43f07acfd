import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type JsonValue, pointer, isJsonObject, kindOf } from "@mcpgen/engine";
import {
  type NamedServer,
  type ServerSource,
  isServerSource,
  noServer,
} from "../../capture/server-source.js";
import { type Place, CodedError } from "../../diagnostics/coded-error.js";
import { closest, nameAdvice } from "../../diagnostics/suggest.js";
import { secrets } from "../../secrets/secrets.js";
import type { Arguments, CommandContext } from "../command.js";
import { shortList, shownPath, printable } from "../../print/terminal-text.js";
import type { Subject } from "../trust/trust.js";
import { type Values, namedVariable, expand } from "./expand.js";
import {
  type HostConfiguration,
  type ServerEntry,
  type InputDeclaration,
  hostFiles,
  entryOf,
  readHostFile,
  wrongUrl,
} from "./host-files.js";
import { canAsk } from "../console.js";
import { runProgram } from "../../capture/process-group.js";
import { StderrTail } from "../../capture/server-link.js";

/** A server that has a name in a host's configuration. */
interface KnownServer {
  readonly name: string;
  readonly host: string;
  /** The file's path in messages. */
  readonly file: string;
}

/**
 * Resolves a SOURCE to a server: a URL or `stdio:` command, else the first server of that name in the files
 * of hosts (generator/command/servers/host-files.ts). An existing file is not taken for a name.
 *
 * @param namedBy the configuration that names the server; undefined if the user named it
 * @throws CodedError MG2014 if SOURCE is not a server; MG2201 for an unknown name; MG2202 and MG2203 for an
 * invalid entry
 */
export async function serverSource(
  source: string,
  args: Arguments,
  context: CommandContext,
  namedBy?: Subject,
): Promise<ServerSource> {
  const found = await sourceOrServer(source, args, context, [], namedBy);
  if (isServerSource(found)) return found;
  // A SOURCE with spaces is probably a command without the prefix `stdio:`, not a misspelt name.
  const isWord = isName(source) && !/\s/.test(source);
  const known = isWord && !isFile(source, context) ? await knownServers(context) : [];
  throw known.length > 0 ? noSuchServer(source, known) : noServer(source, context.directory);
}

/**
 * Same as `serverSource` for commands that also accept other sources. Returns a text that names no server
 * unchanged.
 *
 * @param others other valid names, e.g. of revisions
 * @throws CodedError MG2201 for a text that resembles a server's name; MG2202 and MG2203 for an invalid entry
 */
export async function sourceOrServer(
  source: string,
  args: Arguments,
  context: CommandContext,
  others: readonly string[] = [],
  namedBy?: Subject,
): Promise<ServerSource> {
  if (isServerSource(source) || !isName(source) || others.includes(source) || isFile(source, context))
    return source;
  for await (const configuration of configurations(context)) {
    if (!Object.hasOwn(configuration.servers, source)) continue;
    await expectTrust(configuration, source, context, namedBy);
    return addressOf(configuration, source, args, context);
  }
  const known = await knownServers(context);
  const nearest = closest(source, [...others, ...known.map(({ name }) => name)]);
  if (nearest !== undefined && !others.includes(nearest)) throw noSuchServer(source, known);
  return source;
}

/**
 * Whether a SOURCE can be a server's name: it has no path separator and no extension of a contract file. `-`
 * means standard input.
 */
function isName(source: string): boolean {
  return source !== "-" && source !== "" && !/[/\\:]|\.(?:json|ya?ml)$/i.test(source);
}

function isFile(source: string, { directory }: CommandContext): boolean {
  return statSync(resolve(directory, source), { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * All named servers. If two files use a name, the nearer file counts.
 *
 * @param unreadable receives the error for an unreadable file, and the other files are still read; without
 * it, the error is thrown
 */
export async function knownServers(
  context: CommandContext,
  unreadable?: (error: CodedError) => void,
): Promise<KnownServer[]> {
  const known = new Map<string, KnownServer>();
  for await (const { file, servers } of configurations(context, unreadable))
    for (const name of Object.keys(servers))
      if (!known.has(name))
        known.set(name, { name, host: file.host, file: shownPath(file.path, context.directory) });
  return [...known.values()];
}

/**
 * Requires trust in three cases: an entry of the project starts a program or expands a variable; it hides a
 * server of the same name in the user's own files; or the project's configuration names a server from the
 * user's own files.
 */
async function expectTrust(
  { file }: HostConfiguration,
  name: string,
  context: CommandContext,
  namedBy: Subject | undefined,
): Promise<void> {
  if (file.isUsers) {
    const because = `it would use the server ${JSON.stringify(name)} of ${file.path}`;
    return namedBy && context.trust.expect({ ...namedBy, because });
  }
  let replaced: string | undefined;
  for await (const other of configurations(context, () => {}))
    if (other.file.isUsers && Object.hasOwn(other.servers, name)) replaced ??= other.file.path;
  await context.trust.expect({
    ...{ file: file.path, folder: file.folder, pointer: pointer("", file.member, name) },
    ...(replaced !== undefined && {
      because: `it would take the place of the server ${JSON.stringify(name)} of ${replaced}`,
    }),
  });
}

/** Reads the hosts' files, in order of priority. Files of the project only if configuration is enabled. */
async function* configurations(
  { directory, env, trust }: CommandContext,
  unreadable?: (error: CodedError) => void,
): AsyncGenerator<HostConfiguration> {
  for (const file of hostFiles(directory, env)) {
    if (!file.isUsers && !trust.usesConfig) continue;
    try {
      await trust.expect({ file: file.path, folder: file.isUsers ? dirname(file.path) : file.folder });
      yield await readHostFile(file, shownPath(file.path, directory));
    } catch (error) {
      if (!unreadable || !(error instanceof CodedError)) throw error;
      unreadable(error);
    }
  }
}

async function addressOf(
  configuration: HostConfiguration,
  name: string,
  args: Arguments,
  context: CommandContext,
): Promise<NamedServer> {
  const shown = shownPath(configuration.file.path, context.directory);
  const entry = entryOf(configuration, name, shown);
  const values: Values = { env: context.env, input: inputValues(configuration.inputs, args, context) };
  const place: Place = { file: shown, pointer: pointer("", configuration.file.member, name) };
  const address = await expanded(entry, configuration, values, place);
  if (entry.kind !== "http" || address.kind !== "http" || entry.helper === undefined)
    return { name, file: shown, address };
  const helper = {
    ...{ command: entry.helper, server: name, url: address.url, cwd: configuration.file.folder },
    ...{ env: context.env, place: { ...place, pointer: `${place.pointer}/headersHelper` } },
  };
  return { name, file: shown, address: { ...address, moreHeaders: () => helperHeaders(helper) } };
}

async function expanded(
  entry: ServerEntry,
  { file }: HostConfiguration,
  values: Values,
  place: Place,
): Promise<NamedServer["address"]> {
  const text = (value: string): Promise<string> => expand(value, { file, values, place });
  const all = async (record: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const entries: [string, string][] = [];
    // Sequentially, because each value may need a question to the user.
    for (const [key, value] of Object.entries(record)) entries.push([key, await text(value)]);
    return Object.fromEntries(entries);
  };
  if (entry.kind === "http") {
    const url = await text(entry.url);
    if (!/^https?:/i.test(url) || !URL.canParse(url))
      throw wrongUrl({ ...place, pointer: `${place.pointer}/url` }, entry.url);
    const headers = await all(entry.headers);
    // A header whose text has a reference is a secret.
    for (const [header, value] of Object.entries(headers))
      if (value !== entry.headers[header]) secrets.learnCredential(value);
    return { kind: "http", url, headers };
  }
  const command: [string, ...string[]] = [await text(entry.command)];
  for (const arg of entry.args) command.push(await text(arg));
  const cwd = resolve(file.folder, entry.cwd === undefined ? "." : await text(entry.cwd));
  return { kind: "stdio", command, cwd, env: await all(entry.env) };
}

function noSuchServer(name: string, known: readonly KnownServer[]): CodedError {
  const names = known.map((server) => server.name);
  const others = `The named servers are ${shortList(names)}; give others as http(s)://… or stdio:COMMAND ….`;
  const withFile = (meant: string): string =>
    `${meant} (${known.find((server) => server.name === meant)!.file})`;
  return new CodedError("MG2201", `there is no server ${JSON.stringify(name)}`, {
    next: nameAdvice(name, names, others, withFile),
  });
}

/**
 * Provides values of `${input:ID}`: from `--input`, else from the terminal, else the declared default. Each
 * is resolved once.
 */
function inputValues(
  declared: readonly InputDeclaration[],
  args: Arguments,
  context: CommandContext,
): Values["input"] {
  const given = new Map((args.strings("input") ?? []).map((entry) => pair(entry, context)));
  return async (id, place) => {
    const known =
      given.get(id) ??
      (await asked(
        declared.find((input) => input.id === id),
        id,
        context,
      ));
    if (known === undefined) throw noValue(id, place);
    given.set(id, known);
    if (declared.find((input) => input.id === id)?.isSecret) secrets.learn(known);
    return known;
  };
}

function pair(entry: string, { env }: CommandContext): [string, string] {
  const [id = "", ...rest] = entry.split("=");
  const value = rest.length > 0 ? rest.join("=") : namedVariable(env, id);
  if (id !== "" && value !== undefined) return [id, value];
  throw new CodedError(
    "MG2004",
    `expected --input to be ID=VALUE or a variable that is set, got ${id || "none"}`,
    {
      next: "Give the value: --input ID=VALUE.",
    },
  );
}

async function asked(
  declared: InputDeclaration | undefined,
  id: string,
  context: CommandContext,
): Promise<string | undefined> {
  const { terminal } = context;
  if (terminal === undefined || !canAsk(context)) return declared?.fallback;
  const { isCancel, password, text } = await import("@clack/prompts");
  const message = printable(declared?.description ?? `Value of the input ${id}`);
  const answer = declared?.isSecret
    ? await password({ ...terminal, message })
    : await text({ ...terminal, message, initialValue: declared?.fallback ?? "" });
  return isCancel(answer) ? undefined : (answer ?? "");
}

function noValue(id: string, place: Place): CodedError {
  return new CodedError("MG2203", `the input ${JSON.stringify(id)} has no value`, {
    place,
    next: `Pass it: --input ${id}=VALUE.`,
  });
}

/** A command that prints headers for a server (`headersHelper`). */
interface HeadersHelper {
  /** The command line for a shell. */
  readonly command: string;
  /** Name and URL of the server. */
  readonly server: string;
  readonly url: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly place: Place;
}

/** Time limit of the command in milliseconds, as in Claude Code. */
const timeLimit = 10_000;

/** Maximum size of the command's output in bytes. */
const maxOutput = 1_048_576;

/**
 * Runs the command in a shell, as Claude Code does for each connection, and reads the JSON object of headers
 * that it prints. Their values become secrets of this process. The command inherits the environment without
 * mcpgen's own variables, which may hold credentials for other servers.
 *
 * @throws CodedError MG2204 if it fails, takes longer than 10 seconds, or prints something else
 */
export async function helperHeaders(helper: HeadersHelper): Promise<Readonly<Record<string, string>>> {
  const printed = await outputOf(helper);
  const { place } = helper;
  let value: JsonValue;
  try {
    // Some shells print a byte order mark. `trim` removes it as white space.
    value = JSON.parse(printed.trim()) as JsonValue;
  } catch (cause) {
    throw failed("it printed something else than JSON", place, { cause });
  }
  if (!isJsonObject(value)) throw failed(`it printed ${kindOf(value)}`, place);
  const headers = Object.entries(value).map(([name, text]): [string, string] => {
    if (typeof text !== "string") throw failed(`its ${JSON.stringify(name)} is ${kindOf(text!)}`, place);
    secrets.learnCredential(text);
    if (!isHeader(name, text)) throw failed(`its ${JSON.stringify(name)} is not a header of HTTP`, place);
    return [name, text];
  });
  return Object.fromEntries(headers);
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

async function outputOf(helper: HeadersHelper): Promise<string> {
  const { command, server, url, cwd, place } = helper;
  const inherited = Object.entries(helper.env).filter(([name]) => !/^MCPGEN_/i.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    ...{ CLAUDE_CODE_MCP_SERVER_NAME: server, CLAUDE_CODE_MCP_SERVER_URL: url },
  };
  const [limit, ending] = [AbortSignal.timeout(timeLimit), new AbortController()];
  let printed = "";
  const stderr = new StderrTail();
  const heard = (text: string, from: string): void => {
    if (from === "stderr") return stderr.add(text);
    printed += text;
    if (Buffer.byteLength(printed) > maxOutput) ending.abort();
  };
  const signal = AbortSignal.any([limit, ending.signal]);
  const refused = (why: string, cause?: unknown): CodedError =>
    failed(why, place, { cause, detail: stderr.text.trimEnd() });
  try {
    const [code, by] = await runProgram(command, [], { shell: true, cwd, env, signal, heard });
    if (Buffer.byteLength(printed) > maxOutput) throw refused(`it printed more than ${maxOutput} bytes`);
    if (code === 0) return printed;
    if (limit.aborted) throw refused(`it has not ended within ${timeLimit / 1000} seconds`);
    throw refused(code === null ? `it was ended by ${by}` : `it ended with ${code}`);
  } catch (error) {
    throw error instanceof CodedError ? error : refused((error as Error).message, error);
  }
}

function failed(
  why: string,
  place: Place,
  { cause, detail = "" }: { readonly cause?: unknown; readonly detail?: string } = {},
): CodedError {
  return new CodedError("MG2204", `headersHelper gave no headers: ${why}`, {
    place,
    next: 'Let the command print a JSON object of texts, such as {"Authorization": "Bearer …"}, and end with 0; or pass the header with --header.',
    ...(detail !== "" && { detail }),
    ...(cause !== undefined && { cause }),
  });
}
