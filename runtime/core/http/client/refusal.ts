import { McpError } from "../../jsonrpc/errors.js";

/**
 * The error of a response of HTTP that holds no message to go by. Its `data` has the `status`, what came
 * (`body`), and where the server says so: `challenge` (`WWW-Authenticate`), `retryAfterMs`, `location`.
 */
export function refusal(response: Response, body: string, to = ""): McpError {
  const { status } = response;
  const told = toldBy(response.headers);
  const what = body === "" ? "" : `: ${body.slice(0, 200)}`;
  return new McpError(
    "connection-closed",
    `the server answered ${status}${to}${adviceFor(status, told)}${what}`,
    {
      data: { status, body: body.slice(0, 1000), ...told },
    },
  );
}

/** What headers say of a refusal. */
interface Told {
  readonly challenge?: string;
  readonly retryAfterMs?: number;
  readonly location?: string;
}

function toldBy(headers: Headers): Told {
  const challenge = headers.get("www-authenticate");
  const retryAfterMs = retryAfter(headers.get("retry-after"));
  const location = headers.get("location");
  return {
    ...(challenge === null ? {} : { challenge }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(location === null ? {} : { location }),
  };
}

/** Milliseconds (RFC 9110, 10.2.3): the header has seconds, or a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function adviceFor(status: number, { challenge, retryAfterMs, location }: Told): string {
  if (status === 401)
    return ` (the option http.authorize gives what authorizes requests${challenge === undefined ? "" : `; asked for: ${challenge.slice(0, 200)}`})`;
  if (status >= 300 && status < 400 && location !== undefined)
    return ` and points to ${location.slice(0, 200)}; 307 and 308 on the same origin alone are followed, five in a row`;
  return retryAfterMs === undefined ? "" : ` (it may be asked again in ${retryAfterMs} ms)`;
}
