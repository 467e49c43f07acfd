/** The media type of a header, without parameters, in lower case. */
export function mediaType(value: string): string {
  const end = value.indexOf(";");
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
}

/** Whether a body of this `Content-Type` is JSON in UTF-8, its only encoding (RFC 8259, 8.1). */
export function isJson(header: string | undefined): boolean {
  // Almost all clients send exactly this.
  if (header === "application/json") return true;
  if (header === undefined || mediaType(header) !== "application/json") return false;
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(header)?.[1] ?? "utf-8";
  return /^utf-?8$/i.test(charset);
}

/** The types that a client accepts; without `Accept` all (RFC 9110, 12.5.1). */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const both: Accepted = { json: true, events: true };

export function acceptedBy(header: string | undefined): Accepted {
  // Almost all clients send exactly this.
  if (header === "application/json, text/event-stream") return both;
  if (header === undefined || header.trim() === "") return both;
  const taken = new Map<string, boolean>();
  for (const range of header.split(",")) {
    const type = mediaType(range);
    taken.set(type, taken.get(type) || !/;\s*q\s*=\s*0(\.0*)?\s*(;|$)/i.test(range));
  }
  return { json: takes(taken, "application", "json"), events: takes(taken, "text", "event-stream") };
}

/** The most precise range decides (RFC 9110, 12.5.1). */
function takes(taken: ReadonlyMap<string, boolean>, type: string, subtype: string): boolean {
  return taken.get(`${type}/${subtype}`) ?? taken.get(`${type}/*`) ?? taken.get("*/*") ?? false;
}
