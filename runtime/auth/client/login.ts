import { AuthError } from "../shared/errors.js";
import type { Tokens } from "../shared/token-response.js";
import { endpointUrl, hostOf } from "../shared/urls.js";
import { checkPkce, codeFlow } from "./authorization-code.js";
import type { FlowContext, FlowResult } from "./flow.js";
import type { OAuthOptions, RedirectReceiver } from "./options.js";
import { clientFor, forgetRefused, knownClient } from "./registration.js";
import { union } from "./scopes.js";
import type { TokenStore } from "./store.js";
import type { AuthenticatedClient } from "./token-request.js";

/** Returns the client of a stored grant that does not contain its client. */
export function storedClient(
  options: OAuthOptions,
  { store, as }: FlowContext,
): Promise<AuthenticatedClient | undefined> {
  return knownClient({ options, store }, as);
}

/** A redirect URI for registrations of clients whose logins use none, because a registration requires one. */
const deviceRedirect = "http://127.0.0.1/callback";

/** Lets the user log in. Registers the client first if needed. */
export async function login(options: OAuthOptions, context: FlowContext): Promise<FlowResult> {
  const { as, isNamed, target, resource, server, proofs, guard, store, report, signal } = context;
  const registrar = { options, store, guard, report };
  const { device } = options;
  const scopes = scopesOf(options, context);
  const facts = { issuer: as.issuer, resource: target.resource ?? server, scopes };
  if (device && as.device_authorization_endpoint !== undefined) {
    const { deviceFlow } = await import("./device.js");
    const client = await clientFor(registrar, { as, isNamed }, deviceRedirect);
    report({ type: "opened", issuer: as.issuer, scopes });
    const request = { resource, facts, show: device, signal };
    const asked = deviceFlow({ as, isNamed, client, guard, proofs }, request);
    return { client, scopes, tokens: await forgetting(store, client, asked) };
  }
  checkPkce(as, options.issuers?.[as.issuer]?.pkce === "assumed");
  const { redirect } = options;
  if (!redirect) {
    const text = `a user has to log in at ${hostOf(as.issuer)}: set the option redirect`;
    throw new AuthError("auth-needs-user", text);
  }
  const receiver: RedirectReceiver =
    typeof redirect === "function" ? await redirect(server, signal) : redirect;
  try {
    checkRedirect(receiver.uri);
    const client = await clientFor(registrar, { as, isNamed }, receiver.uri);
    report({ type: "opened", issuer: as.issuer, scopes });
    const endpoint = { as, isNamed, client, guard, proofs };
    const asked = codeFlow(endpoint, { receiver, resource, scopes, facts, signal });
    return { client, scopes, tokens: await forgetting(store, client, asked) };
  } finally {
    await receiver.close?.();
  }
}

/**
 * Checks that the code is not sent to another host in clear text (2026-07-28, communication security). A
 * private-use scheme must contain a full stop (RFC 8252, 7.1).
 *
 * @throws {AuthError} `auth-options`
 */
function checkRedirect(uri: string): void {
  if (!endpointUrl(uri, true) && !/^[^:/]+\.[^:/]+:/.test(uri))
    throw new AuthError("auth-options", "redirect.uri: authorization needs a URL with https");
}

function forgetting(
  store: TokenStore,
  client: AuthenticatedClient,
  tokens: Promise<Tokens>,
): Promise<Tokens> {
  return tokens.catch(async (error: unknown) => {
    await forgetRefused(store, client, error);
    throw error;
  });
}

/**
 * Returns the scopes to request (2026-07-28, scope selection strategy). A step-up keeps previously requested
 * scopes.
 */
function scopesOf(
  { scopes: policy }: OAuthOptions,
  { challenged, target, kept, as }: FlowContext,
): readonly string[] {
  const offered = challenged ?? target.scopes;
  let chosen = offered ?? [];
  if (typeof policy === "function") chosen = policy(offered);
  else if (policy && "always" in policy) chosen = union(chosen, policy.always);
  const all = union(kept, chosen);
  // Without scopes the server grants its default. `offline_access` alone would replace that default (RFC 6749,
  // 3.3).
  const refresh = all.length > 0 && (as.scopes_supported?.includes("offline_access") ?? false);
  return refresh ? union(all, ["offline_access"]) : all;
}
