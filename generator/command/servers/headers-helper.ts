import { type ChildProcess, spawn } from "node:child_process";
import { type JsonValue, isJsonObject, kindOf } from "@mcpgen/engine";
import { interruption } from "../../capture/interruption.js";
import { StderrTail } from "../../capture/stderr-tail.js";
import { CodedError, type Place } from "../../diagnostics/coded-error.js";
import { secrets } from "../../secrets/secrets.js";

/** A command that prints the headers for a server, as an entry of a host's file names it. */
interface HeadersHelper {
  /** A line for a shell. */
  readonly command: string;
  /** The name and the URL of the server. */
  readonly server: string;
  readonly url: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly place: Place;
}

/** Milliseconds that the host gives the command. */
const timeLimit = 10_000;

/** Bytes of its output. */
const maxOutput = 1_048_576;

/**
 * Runs the command in a shell, as Claude Code does for each connection, and reads the JSON object of headers that it prints.
 * Their values become secrets of this process. The command inherits the environment, but for the variables of mcpgen: they
 * hold credentials for other receivers.
 *
 * @throws CodedError MG2204 if it fails, takes longer than 10 seconds, or prints something else
 */
export async function helperHeaders(helper: HeadersHelper): Promise<Readonly<Record<string, string>>> {
  const printed = await outputOf(helper);
  const { place } = helper;
  let value: JsonValue;
  try {
    // Some shells print a byte order mark, which is white space for `trim`.
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
  // A new process group: the shell may have started other programs.
  const detached = process.platform !== "win32";
  const child = spawn(command, { shell: true, cwd, env, detached, stdio: ["ignore", "pipe", "pipe"] });
  const end = (): void => endGroup(child, detached);
  const released = interruption.endsFirst(async () => end());
  process.once("exit", end);
  try {
    return await collected(child, end, place);
  } finally {
    process.off("exit", end);
    await released();
  }
}

/** Ends the child, and what it has started where that is in its group. */
function endGroup({ pid }: ChildProcess, isGroup: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(isGroup ? -pid : pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Standard output of a child that ends well, within the limits. */
function collected(child: ChildProcess, end: () => void, place: Place): Promise<string> {
  const chunks: Buffer[] = [];
  const stderr = new StderrTail();
  const limit = AbortSignal.timeout(timeLimit);
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const refuse = (why: string, cause?: unknown): void => {
      end();
      // What has left the group may hold them open.
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      reject(failed(why, place, { cause, detail: stderr.text.trimEnd() }));
    };
    const timedOut = (): void => refuse(`it has not ended within ${timeLimit / 1000} seconds`);
    limit.addEventListener("abort", timedOut, { once: true });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => stderr.add(text));
    child.stdout!.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxOutput) refuse(`it printed more than ${maxOutput} bytes`);
    });
    child.on("error", (error) => refuse(error.message, error));
    child.on("close", (code, signal) => {
      limit.removeEventListener("abort", timedOut);
      if (code === 0) return resolve(Buffer.concat(chunks).toString("utf8"));
      refuse(signal === null ? `it ended with ${code}` : `it was ended by ${signal}`);
    });
  });
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
