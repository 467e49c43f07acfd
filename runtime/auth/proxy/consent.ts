import { errorLocation, stop, verifiedClient } from "./authorization-request.js";
import type { ConsentForm } from "./authorize.js";
import { cookiesOf } from "./cookies.js";
import { numericDate, sha256, sameText } from "../shared/encoding.js";
import { redirectToUpstream } from "./login.js";
import type { Proxy } from "./proxy.js";
import { formOf, type Parameters } from "./requests.js";
import { redirectResponse, Refused } from "./responses.js";

/**
 * The endpoint for the user's decision. The form is valid only in the browser in which the page was shown, which
 * prevents cross-site request forgery.
 *
 * @throws {Stopped} with a page
 */
export async function consent(proxy: Proxy, request: Request): Promise<Response> {
  const { settings } = proxy;
  checkOrigin(settings.issuer, request);
  const form = await decisionOf(request);
  const cookies = cookiesOf(request);
  const sealed = (await settings.keys.open("request", form.get("request") ?? "")) as ConsentForm | undefined;
  const browser = cookies.get("browser");
  if (!sealed || sealed.expires <= numericDate())
    throw stop("The page was open for too long, or is not one of this server.");
  if (browser === undefined || !sameText(await sha256(browser), sealed.browser))
    throw stop("The page was opened in another browser, or the browser does not keep cookies.");
  const { asked } = sealed;
  const client = await verifiedClient(proxy, asked.client, asked.redirectUri);
  const allowed = form.get("decision") === "allow";
  settings.emit({ type: allowed ? "consented" : "denied", client: client.name });
  if (allowed) return redirectToUpstream(proxy, cookies, asked);
  return redirectResponse(
    errorLocation(settings.issuer, asked, "access_denied", "The user denied the request."),
  );
}

async function decisionOf(request: Request): Promise<Parameters> {
  try {
    return await formOf(request);
  } catch (error) {
    if (error instanceof Refused) throw stop("The form of the page was not sent correctly.");
    throw error;
  }
}

/** Checks the `Origin` header, with which browsers report the page of a form. */
function checkOrigin(issuer: string, request: Request): void {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isForeign = origin !== null && origin !== new URL(issuer).origin;
  if (isForeign || (site !== null && site !== "same-origin"))
    throw stop("The decision was sent from a page of another site.");
}
