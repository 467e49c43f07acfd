import { packageVersion } from "../../package-folder.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import { type LiveClient, type Runtime, loadRuntime } from "./runtime.js";
import { serverError } from "./server-error.js";
import { isServerSource } from "./shown-source.js";
import { StderrTail } from "./stderr-tail.js";

/** How a server is reached. */
export interface ServerOptions {
  /** Paths of commands are relative to it. */
  readonly directory: string;
  /** The only revision to speak; the newest that both know without it. */
  readonly revision?: string | undefined;
  /** Milliseconds without a sign of life. */
  readonly timeout?: number | undefined;
  /** Headers of each request over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Variables for the server's process, beside those that hold no secrets. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Hears what the server asked the user or a model for. All of that is declined. */
  readonly onAsked?: (what: string) => void;
  /** Hears what the server's process prints on standard error. */
  readonly onStderr?: (text: string) => void;
}

/** Times that connecting may take in all: `npx` may have a package to install first. */
const patience = 60_000;

/**
 * Connects to the server that a SOURCE names, and closes the connection whatever `use` comes to.
 *
 * @throws CodedError MG2014 for a SOURCE that is no server, MG2010 for a revision that is not there, MG2013 without
 *   the runtime, MG41xx for what goes wrong with the server
 */
export async function withServer<T>(
  source: string,
  options: ServerOptions,
  use: (client: LiveClient) => Promise<T>,
): Promise<T> {
  if (!isServerSource(source)) throw noServer(source);
  const runtime = await loadRuntime(options.directory);
  expectRevision(runtime, options.revision);
  const stderr = new StderrTail();
  let client: LiveClient | undefined;
  try {
    client = await connected(runtime, source, options, stderr);
    return await use(client);
  } catch (error) {
    throw serverError(error, source, stderr.text);
  } finally {
    await client?.close().catch(() => {});
  }
}

function connected(
  runtime: Runtime,
  source: string,
  { directory, revision, timeout, headers = {}, variables, onAsked, onStderr }: ServerOptions,
  stderr: StderrTail,
): Promise<LiveClient> {
  const heard = (text: string): void => {
    stderr.add(text);
    onStderr?.(text);
  };
  const command = (): object => {
    const [program, ...args] = runtime.parseStdioSource(source);
    return { command: program, args, cwd: directory, env: variables, stderr: heard };
  };
  const address = /^stdio:/i.test(source) ? undefined : addressOf(source);
  return runtime.connect(address?.url ?? command(), {
    revisions: runtime.revisions,
    ...(revision !== undefined && { revision }),
    info: { name: "mcpgen", version: packageVersion() },
    connectTimeout: timeout ?? patience,
    ...(timeout !== undefined && { timeouts: { timeout } }),
    http: { headers: { ...address?.headers, ...headers } },
    // What is left out of lists is told by who asked for them.
    onWarning: () => {},
    ...declining(runtime, onAsked),
  });
}

/** The name and password of a URL are sent as a header: `fetch` refuses them, and errors would quote them. */
function addressOf(source: string): { readonly url: string; readonly headers: Record<string, string> } {
  if (!URL.canParse(source)) throw noServer(source);
  const url = new URL(source);
  const { username, password } = url;
  if (username === "" && password === "") return { url: source, headers: {} };
  [url.username, url.password] = ["", ""];
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, headers: { Authorization: `Basic ${Buffer.from(secret).toString("base64")}` } };
}

/** Servers offer some of their tools only to clients that can be asked; nobody is here to answer. */
function declining({ userRejected }: Runtime, onAsked: (what: string) => void = () => {}): object {
  const decline = ({ message }: { readonly message: string }): object => {
    onAsked(`the user: ${message}`);
    return { action: "decline" };
  };
  return {
    elicit: decline,
    elicitUrl: decline,
    sample: () => {
      onAsked("a model for a message");
      throw userRejected();
    },
    roots: [],
  };
}

function noServer(source: string): CodedError {
  return new CodedError(
    "MG2014",
    `expected a server: http(s)://… or stdio:COMMAND …, got ${JSON.stringify(source)}`,
    {
      next: /^[a-z]+:/i.test(source)
        ? "Servers are reached over http, https, and stdio."
        : `For a server that this command starts, write "stdio:${source}".`,
    },
  );
}

function expectRevision({ revisions }: Runtime, wanted: string | undefined): void {
  const ids = revisions.map(({ id }) => id);
  if (wanted === undefined || ids.includes(wanted)) return;
  const suggestion = closest(wanted, ids);
  throw new CodedError("MG2010", `there is no revision ${JSON.stringify(wanted)}`, {
    next: suggestion === undefined ? `The revisions are ${ids.join(", ")}.` : `Did you mean ${suggestion}?`,
  });
}
