import { isObject } from "../jsonrpc/message.js";

export type Side = "client" | "server";

/** A message of a recorded session. */
export interface Recorded {
  readonly from: Side;
  /** Milliseconds since the session began. */
  readonly at: number;
  /** As it went over the wire. */
  readonly text: string;
}

/** A session as lines of JSON, `{"from":"client","at":0,"message":{…}}`: what `mcpgen validate` judges. */
export function formatSession(session: Iterable<Recorded>): string {
  let lines = "";
  for (const { from, at, text } of session)
    lines += `{"from":"${from}","at":${at},"message":${asJson(text)}}\n`;
  return lines;
}

/**
 * Reads what `formatSession` wrote; `at` may be missing.
 *
 * @throws {SyntaxError} naming the line
 */
export function parseSession(text: string): Recorded[] {
  return text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, index + 1)]));
}

function parseLine(line: string, number: number): Recorded {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new SyntaxError(`line ${number}: expected JSON, got ${JSON.stringify(line.slice(0, 60))}.`, {
      cause,
    });
  }
  const { from, at = 0, message } = isObject(value) ? value : {};
  if ((from !== "client" && from !== "server") || message === undefined || typeof at !== "number")
    throw new SyntaxError(
      `line ${number}: expected {"from":"client" or "server","message":…}, got ${line.slice(0, 60)}.`,
    );
  return { from, at, text: typeof message === "string" ? message : JSON.stringify(message) };
}

/** What is not JSON is kept as a string, so that the line can be read. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  // JSON may be laid out over lines.
  return text.replace(/[\r\n]/g, " ");
}
