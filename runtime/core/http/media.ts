/** The media type of a header's value, without parameters, in small letters. */
export function mediaType(value: string): string {
  const end = value.indexOf(";");
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
}

/** What a client takes, out of `Accept`; without the header it takes everything (RFC 9110, 12.5.1). */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const both: Accepted = { json: true, events: true };

export function acceptedBy(header: string | undefined): Accepted {
  // What nearly every client sends, word for word.
  if (header === "application/json, text/event-stream") return both;
  if (header === undefined || header.trim() === "") return both;
  const ranges = header
    .split(",")
    .filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range))
    .map(mediaType);
  return { json: takes(ranges, "application", "json"), events: takes(ranges, "text", "event-stream") };
}

function takes(ranges: readonly string[], type: string, subtype: string): boolean {
  return [`${type}/${subtype}`, `${type}/*`, "*/*"].some((range) => ranges.includes(range));
}
