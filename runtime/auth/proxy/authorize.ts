import { approvedSubject } from "./approvals.js";
import { type AuthorizationRequest, authorizationRequest } from "./authorization-request.js";
import type { Client } from "./client.js";
import { consentPage } from "./consent-page.js";
import { cookiesOf, setCookie } from "./cookies.js";
import { numericDate, sha256, randomText } from "../shared/encoding.js";
import { htmlResponse, styleNonce } from "./html.js";
import { redirectToUpstream } from "./login.js";
import { paths, type Proxy, upstreamScopes } from "./proxy.js";
import { destinationOf, isLoopback } from "./redirects.js";

/** The encrypted content of the consent form. */
export interface ConsentForm {
  readonly asked: AuthorizationRequest;
  /** Digest of the cookie of the browser in which the page is shown. */
  readonly browser: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

const formSeconds = 600;

/**
 * The authorization endpoint. Shows the consent page, unless this browser remembers a decision about the same client,
 * redirect URI, scopes and resource. Stores nothing before the user decides.
 *
 * @throws {Stopped} the request is refused
 */
export async function authorize(proxy: Proxy, request: Request): Promise<Response> {
  const { client, asked } = await authorizationRequest(proxy, new URL(request.url).searchParams);
  const cookies = cookiesOf(request);
  const subject = await approvedSubject(proxy, cookies, client, asked);
  if (subject !== undefined) return redirectToUpstream(proxy, cookies, asked, subject);
  return showConsent(proxy, cookies, client, asked);
}

async function showConsent(
  proxy: Proxy,
  cookies: ReadonlyMap<string, string>,
  client: Client,
  asked: AuthorizationRequest,
): Promise<Response> {
  const { keys, issuer, page = consentPage } = proxy.settings;
  const known = cookies.get("browser");
  const isKnown = known !== undefined && (await keys.open("browser", known)) !== undefined;
  const browser = isKnown ? known : await keys.seal("browser", randomText(16));
  const form: ConsentForm = { asked, browser: await sha256(browser), expires: numericDate() + formSeconds };
  const nonce = styleNonce();
  const html = page({
    ...factsOf(proxy, client, asked),
    action: `${issuer}${paths.consent}`,
    fields: { request: await keys.seal("request", form) },
    nonce,
  });
  const set = isKnown ? [] : [setCookie("browser", browser, undefined)];
  return htmlResponse(html, { status: 200, nonce, cookies: set });
}

function factsOf({ settings, upstream }: Proxy, client: Client, asked: AuthorizationRequest) {
  const { scopeTexts } = settings;
  return {
    clientName: client.name,
    ...(client.kind === "document" && { clientHost: new URL(client.id).host }),
    redirectUri: asked.redirectUri,
    redirectHost: destinationOf(asked.redirectUri),
    isLoopback: isLoopback(asked.redirectUri),
    upstreamName: upstream.profile.name,
    upstreamScopes: upstreamScopes(settings, asked.scopes),
    resource: asked.resource,
    scopes: asked.scopes.map((name) => {
      const text = Object.hasOwn(scopeTexts, name) ? scopeTexts[name] : undefined;
      return text === undefined ? { name } : { name, text };
    }),
  };
}
