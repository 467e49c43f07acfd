import type * as platform from "../../platform/platform.js";
/** Takes a chunk of a body. If it returns a promise, reading waits for it. */
export type Take = (chunk: Uint8Array) => void | Promise<void>;

/** A response without web streams, which cost more than all the rest of a request. */
export interface PlainResponse {
  readonly status: number;
  readonly ok: boolean;
  /** For the application; `get` costs less. */
  readonly headers: platform.Headers;
  readonly body: { cancel(): Promise<void> };
  /** @param name in lower case */
  get(name: string): string | null;
  /** As `pump`. */
  pump(take: Take): Promise<void>;
}

/** The response to a request of HTTP. */
export type HttpResponse = platform.Response | PlainResponse;

/** @param name in lower case */
export function headerOf(response: HttpResponse, name: string): string | null {
  return "pump" in response ? response.get(name) : response.headers.get(name);
}

/** The media type of a response, without parameters, in lower case. */
export function mediaType(response: HttpResponse): string {
  const type = headerOf(response, "content-type") ?? "";
  const end = type.indexOf(";");
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase();
}

/**
 * Passes the chunks of a body to `take`.
 *
 * @throws {Error} the error of `take`, or of the connection; reading stops
 */
export async function pump(response: HttpResponse, take: Take): Promise<void> {
  if ("pump" in response) return response.pump(take);
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
