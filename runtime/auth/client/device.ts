import { attempts, type Members, systemClock, waitAsked } from "@mcpgen/base";
import * as oauth from "oauth4webapi";
import { AuthError, isUnavailable } from "../shared/errors.js";
import { TokenRefusal, type Tokens, judgedAnswer } from "../shared/token-response.js";
import { endpointUrl, hostOf } from "../shared/urls.js";
import { checkDestination } from "./destination.js";
import type { AuthorizationFacts, DevicePrompt } from "./options.js";
import { type TokenEndpoint, authentication, refusal, requestTokens, transport } from "./token-request.js";

/** The parameters of one login on another device. */
export interface DeviceRequest {
  /** The value of the parameter `resource`. */
  readonly resource: string | undefined;
  readonly facts: Omit<AuthorizationFacts, "state">;
  readonly show: (prompt: DevicePrompt, signal: AbortSignal) => unknown;
  readonly signal: AbortSignal;
}

/**
 * Milliseconds between polls if the server gives no interval, and the increase after `slow_down` (RFC 8628, 3.5).
 */
const usualWait = 5000;

/**
 * Minimum interval between polls, and maximum life of a code, in milliseconds, regardless of the server's values.
 */
const shortestWait = 100;
const longestLife = 3_600_000;

/** Maximum length of a user code in characters. */
const longestCode = 64;

/**
 * Runs the device authorization grant (RFC 8628): shows a code, and polls until the user has entered it on another
 * device.
 *
 * @throws {AuthError} its message contains no text of the authorization server
 */
export async function deviceFlow(endpoint: TokenEndpoint, request: DeviceRequest): Promise<Tokens> {
  const { as, client, guard } = endpoint;
  const { resource, facts, show, signal } = request;
  const { scopes } = facts;
  const given = { issuer: as.issuer, endpoint: as.device_authorization_endpoint };
  checkDestination(given, endpoint, "token_endpoint", "the device code");
  await authentication(endpoint, "device_authorization_endpoint");
  const auth = await authentication(endpoint);
  const asClient = { client_id: client.id };
  const params = {
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
  let device: DeviceAnswer;
  try {
    const response = await oauth.deviceAuthorizationRequest(as, asClient, auth, params, transport(guard));
    const required = ["device_code", "user_code", "verification_uri", "expires_in"];
    device = (await judgedAnswer(as.issuer, response, members, required)) as object as DeviceAnswer;
  } catch (error) {
    throw refusal(as.issuer, error);
  }
  const lifeMs = waitAsked(Number(device.expires_in) * 1000, { most: longestLife, usual: longestLife });
  const ends = systemClock.now() + lifeMs;
  await show(promptOf(device, lifeMs / 1000, facts, guard.local), signal);
  let busy: unknown;
  let wait = waitAsked(Number(device.interval) * 1000, { least: shortestWait, usual: usualWait });
  let left = lifeMs;
  const pauses = (): number | undefined => {
    left = ends - systemClock.now();
    return left > 0 ? Math.min(wait, left) : undefined;
  };
  for await (const _ of attempts({ pauses, waitsFirst: true, signal })) {
    // The code expires before the next poll is allowed.
    if (wait > left) break;
    try {
      return await requestTokens(endpoint, (options) =>
        oauth.deviceCodeGrantRequest(as, asClient, auth, device.device_code, options),
      );
    } catch (error) {
      const code = error instanceof TokenRefusal ? error.error : undefined;
      busy = isUnavailable(error) ? error : undefined;
      // The code stays valid if the server does not answer for a moment (RFC 8628, 3.5).
      if (code === "slow_down" || busy) wait += usualWait;
      else if (code !== "authorization_pending") throw error;
    }
  }
  if (busy) throw busy;
  throw new AuthError("auth-needs-user", `the code of ${hostOf(as.issuer)} was not entered in time`);
}

/** The members of a device authorization response (RFC 8628, 3.2). */
const members: Members = {
  ...{ device_code: "text", user_code: "text", verification_uri: "text", verification_uri_complete: "text" },
  ...{ expires_in: "seconds", interval: "seconds" },
};

interface DeviceAnswer {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string;
  readonly expires_in: number | string;
  readonly interval?: number | string;
}

/** Makes the prompt for the user. Checks that the addresses are safe and the code is printable. */
function promptOf(
  device: DeviceAnswer,
  expiresIn: number,
  facts: Omit<AuthorizationFacts, "state">,
  local: boolean,
): DevicePrompt {
  const { user_code: userCode, verification_uri: uri, verification_uri_complete: complete } = device;
  const isCode = userCode.length <= longestCode && /^[\x21-\x7e]+$/.test(userCode);
  const safe = endpointUrl(uri, local);
  if (!isCode || !safe)
    throw new AuthError("auth-metadata-unsafe", `${hostOf(facts.issuer)}: its device code cannot be shown`);
  const whole = complete === undefined ? undefined : endpointUrl(complete, local);
  return {
    ...facts,
    userCode,
    verificationUri: safe.href,
    ...(whole && { verificationUriComplete: whole.href }),
    expiresIn,
  };
}
