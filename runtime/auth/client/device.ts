import { AuthError } from "../shared/errors.js";
import { objectIn } from "../shared/guarded-fetch.js";
import { shown } from "../shared/token-response.js";
import { endpointUrl, hostOf } from "../shared/urls.js";
import type { AuthorizationFacts, DevicePrompt } from "./options.js";
import { type TokenEndpoint, TokenRefusal, type Tokens, requestTokens, send } from "./token-request.js";

/** One login on another device. */
export interface DeviceRequest {
  /** Value of the parameter `resource`. */
  readonly resource: string | undefined;
  readonly facts: Omit<AuthorizationFacts, "state">;
  readonly show: (prompt: DevicePrompt, signal: AbortSignal) => unknown;
  readonly signal: AbortSignal;
}

/** Seconds between polls, if the server names none; and by how much `slow_down` raises them (RFC 8628, 3.5). */
const defaultInterval = 5;

/** Characters of a user code at most. */
const longestCode = 64;

/**
 * The device authorization grant (RFC 8628): shows a code, and polls until the user has entered it elsewhere.
 *
 * @throws {AuthError} without text of the authorization server
 */
export async function deviceFlow(endpoint: TokenEndpoint, request: DeviceRequest): Promise<Tokens> {
  const { as, client, guard } = endpoint;
  const { resource, facts, show, signal } = request;
  const { scopes } = facts;
  const response = await send({ as, client, guard }, as.device_authorization_endpoint!, {
    resource,
    scope: scopes.join(" ") || undefined,
  });
  const device = await deviceResponse(as.issuer, response);
  const ends = Date.now() + device.seconds * 1000;
  await show(promptOf(device, facts, guard.local), signal);
  for (let interval = device.interval ?? defaultInterval; Date.now() < ends;) {
    await pause(interval * 1000, signal);
    try {
      return await requestTokens(endpoint, {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: device.code,
      });
    } catch (error) {
      const code = error instanceof TokenRefusal ? error.error : undefined;
      if (code === "slow_down") interval += defaultInterval;
      else if (code !== "authorization_pending") throw error;
    }
  }
  throw new AuthError("auth-needs-user", `the code of ${hostOf(as.issuer)} was not entered in time`);
}

/** An answer of the device authorization endpoint (RFC 8628, 3.2). */
interface Device {
  readonly code: string;
  readonly userCode: string;
  readonly uri: unknown;
  readonly uriComplete: unknown;
  readonly seconds: number;
  readonly interval: number | undefined;
}

/** @throws {AuthError} */
async function deviceResponse(issuer: string, response: Response): Promise<Device> {
  const body = (await objectIn(response)) ?? {};
  if (response.status !== 200) throw new TokenRefusal(issuer, shown(body["error"]));
  const { device_code: code, user_code: userCode, expires_in: seconds, interval } = body;
  const isNumber = (value: unknown): value is number => typeof value === "number" && value > 0;
  if (typeof code !== "string" || code === "" || typeof userCode !== "string" || !isNumber(seconds))
    throw new AuthError("auth-metadata-invalid", `${hostOf(issuer)}: its device code cannot be used`);
  const { verification_uri: uri, verification_uri_complete: uriComplete } = body;
  return { code, userCode, uri, uriComplete, seconds, interval: isNumber(interval) ? interval : undefined };
}

/** What may be shown: the addresses are safe, and the code is a word. */
function promptOf(
  { userCode, uri, uriComplete, seconds }: Device,
  facts: Omit<AuthorizationFacts, "state">,
  local: boolean,
): DevicePrompt {
  const isCode = userCode.length <= longestCode && /^[\x21-\x7e]+$/.test(userCode);
  const safe = endpointUrl(uri, local);
  if (!isCode || !safe)
    throw new AuthError("auth-metadata-unsafe", `${hostOf(facts.issuer)}: its device code cannot be shown`);
  const whole = endpointUrl(uriComplete, local);
  return {
    ...facts,
    userCode,
    verificationUri: safe.href,
    ...(whole && { verificationUriComplete: whole.href }),
    expiresIn: seconds,
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
