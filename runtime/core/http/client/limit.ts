import { McpError } from "../../jsonrpc/errors.js";

/** 10 MiB: what one message of a server may weigh unless told otherwise. */
export const defaultLimit = 10 * 1_048_576;

export function tooLong(limit: number): McpError {
  return new McpError("message-too-long", `a message of the server's was longer than ${limit} bytes`);
}

/**
 * Gives what comes of a body to `take`, till it ends; where that gives a promise, no more is read before it resolves.
 *
 * @throws {Error} what `take` throws, or the connection; nothing more is read then
 */
export async function pump(
  response: Response,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const body = response.body?.getReader();
  if (!body) return;
  try {
    for (;;) {
      const chunk = await body.read();
      if (chunk.done) return;
      const busy = take(chunk.value);
      if (busy) await busy;
    }
  } catch (error) {
    await body.cancel().catch(() => undefined);
    throw error;
  }
}

/**
 * The whole of a body as UTF-8.
 *
 * @throws {McpError} `message-too-long`: it has more bytes than `limit`
 */
export async function textWithin(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  await pump(response, (chunk) => {
    length += chunk.length;
    if (length > limit) throw tooLong(limit);
    text += decoder.decode(chunk, { stream: true });
  });
  return text + decoder.decode();
}
