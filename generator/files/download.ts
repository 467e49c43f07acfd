import { CodedError } from "../diagnostics/coded-error.js";
import { maximumBytes, tooLarge } from "./regular-file.js";
import { publicUrl } from "../secrets/secret-names.js";
import { networkFetch, proxyAdvice } from "./proxies.js";
import { secrets } from "../secrets/secrets.js";

interface DownloadOptions {
  /** Milliseconds for all of it, redirects included. */
  readonly timeout?: number;
}

const mostRedirects = 5;

/**
 * What a server hands out at `url`, piece by piece.
 *
 * @throws CodedError MG4001–MG4004 when it does not come, MG1003 when it is larger than a file may be
 */
export async function* download(
  url: string,
  { timeout = 30_000 }: DownloadOptions = {},
): AsyncGenerator<Uint8Array> {
  secrets.learnUrl(url);
  if (hasLogin(new URL(url)))
    throw new CodedError("MG4001", "a URL with a user name or a password is not requested", {
      place: { file: publicUrl(url) },
      next: "Download the file yourself and name the copy.",
    });
  try {
    const response = await request(url, AbortSignal.timeout(timeout));
    let size = 0;
    // The limit holds for the bytes received: the server's `Content-Length` may be wrong.
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maximumBytes) throw tooLarge(publicUrl(url), size);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof CodedError ? error : unreachable(url, error as Error, timeout);
  }
}

/** The answer at the end of the redirects. */
async function request(url: string, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await networkFetch(at, {
      signal,
      redirect: "manual",
      headers: { accept: "application/json, */*" },
    });
    if (response.ok) return response;
    await response.body?.cancel();
    const location = response.status >= 300 && response.status < 400 && response.headers.get("location");
    if (!location) throw statusError(url, response);
    at = nextAddress(url, at, location);
  }
  throw misdirected(url, `expected the file after at most ${mostRedirects} redirects, got another redirect`);
}

/** Redirects lead to http and https alone, and never out of encryption. */
function nextAddress(url: string, at: string, location: string): string {
  const next = URL.canParse(location, at) ? new URL(location, at) : undefined;
  const allowed = at.startsWith("https:") ? ["https:"] : ["http:", "https:"];
  if (next) secrets.learnUrl(next.href);
  if (next && hasLogin(next))
    throw misdirected(url, `a redirect names a user or a password, to ${publicUrl(next.href)}`);
  if (next && allowed.includes(next.protocol)) return next.href;
  throw misdirected(
    url,
    `expected a redirect to ${allowed[0]}//…, got one to ${JSON.stringify(publicUrl(next?.href ?? location))}`,
  );
}

function hasLogin({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

function statusError(url: string, { status, statusText }: Response): CodedError {
  return new CodedError("MG4002", `expected the file, got HTTP ${status} ${statusText}`.trimEnd(), {
    place: { file: publicUrl(url) },
    next: "Check the URL.",
  });
}

function misdirected(url: string, message: string): CodedError {
  return new CodedError("MG4004", message, {
    place: { file: publicUrl(url) },
    next: "Name the address of the file itself.",
  });
}

function unreachable(url: string, error: Error, timeout: number): CodedError {
  if (error.name === "TimeoutError") {
    return new CodedError("MG4003", `no complete answer within ${timeout / 1000} seconds`, {
      place: { file: publicUrl(url) },
      next: "Try again, or download the file yourself and name the copy.",
      cause: error,
    });
  }
  const reason =
    error.cause instanceof Error
      ? error.cause.message || (error.cause as NodeJS.ErrnoException).code
      : error.message;
  if (reason === "bad port") {
    return new CodedError("MG4001", `port ${new URL(url).port} is one that no web request may go to`, {
      place: { file: publicUrl(url) },
      next: "Check the port, or download the file yourself and name the copy.",
      cause: error,
    });
  }
  return new CodedError("MG4001", `the server cannot be reached: ${reason}`, {
    place: { file: publicUrl(url) },
    next:
      proxyAdvice(error) ??
      "Check the URL and the connection, or download the file yourself and name the copy.",
    cause: error,
  });
}
