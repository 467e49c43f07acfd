import * as oauth from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import { endpointUrl, hostOf } from "../shared/urls.js";
import { checkDestination } from "./destination.js";
import type { AuthorizationFacts, DevicePrompt } from "./options.js";
import {
  type TokenEndpoint,
  TokenRefusal,
  type Tokens,
  authentication,
  refusal,
  requestTokens,
  transport,
} from "./token-request.js";

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
  const given = { issuer: as.issuer, endpoint: as.device_authorization_endpoint };
  checkDestination(given, endpoint, "token_endpoint", "the device code");
  await authentication(endpoint, "device_authorization_endpoint");
  const auth = await authentication(endpoint);
  const asClient = { client_id: client.id };
  const params = {
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
  let device: oauth.DeviceAuthorizationResponse;
  try {
    const response = await oauth.deviceAuthorizationRequest(as, asClient, auth, params, transport(guard));
    device = await oauth.processDeviceAuthorizationResponse(as, asClient, response);
  } catch (error) {
    throw refusal(as.issuer, error);
  }
  const ends = Date.now() + device.expires_in * 1000;
  await show(promptOf(device, facts, guard.local), signal);
  for (let interval = device.interval ?? defaultInterval; Date.now() < ends;) {
    await pause(interval * 1000, signal);
    try {
      return await requestTokens(endpoint, (options) =>
        oauth.deviceCodeGrantRequest(as, asClient, auth, device.device_code, options),
      );
    } catch (error) {
      const code = error instanceof TokenRefusal ? error.error : undefined;
      if (code === "slow_down") interval += defaultInterval;
      else if (code !== "authorization_pending") throw error;
    }
  }
  throw new AuthError("auth-needs-user", `the code of ${hostOf(as.issuer)} was not entered in time`);
}

/** What may be shown: the addresses are safe, and the code is a word. */
function promptOf(
  device: oauth.DeviceAuthorizationResponse,
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
    expiresIn: device.expires_in,
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
