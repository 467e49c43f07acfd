/**
 * The lines of a stream of UTF-8. Only line feeds end a line: JSON text may hold every other character that
 * Unicode counts as a line end.
 */
export async function* lines(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const chunk of source) {
    const parts = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
    if (parts.length === 1) {
      rest.push(parts[0]!);
      continue;
    }
    yield [...rest, parts[0]!].join("");
    yield* parts.slice(1, -1);
    rest = [parts.at(-1)!];
  }
  const last = rest.join("") + decoder.decode();
  if (last !== "") yield last;
}
