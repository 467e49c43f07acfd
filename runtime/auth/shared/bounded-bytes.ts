/**
 * Reads a body up to a limit, and stops reading at the first byte beyond it.
 *
 * @param most maximum number of bytes
 * @returns `undefined` if the body is longer
 */
export async function boundedBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) {
    length += next.value.length;
    if (length > most) {
      void reader!.cancel().catch(() => undefined);
      return undefined;
    }
    pieces.push(next.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
