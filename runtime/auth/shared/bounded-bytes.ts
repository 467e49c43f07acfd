/**
 * Reads a body, and stops at the first byte too many.
 *
 * @param most bytes at most
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
