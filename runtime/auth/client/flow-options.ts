import { checkFunction, checkNames, wrongOption } from "../shared/option-check.js";
import { endpointUrl } from "../shared/urls.js";
import type { FlowOptions } from "./options.js";

/**
 * Checks the common options of all flows, and the issuer.
 *
 * @throws {AuthError} `auth-options`
 */
export function checkFlow({
  store,
  dpop,
  issuer,
  issuers,
}: FlowOptions & { readonly issuer?: unknown }): void {
  if (store !== undefined) checkFunction((store as typeof store | null)?.put, "store.put");
  if (issuer !== undefined) checkIssuerOption(issuer, "issuer");
  if (issuers !== undefined) checkExceptions(issuers);
  if (dpop !== undefined && !["never", "when-offered", "required"].includes(dpop))
    throw wrongOption("dpop", "expected never, when-offered or required");
}

/** Checks the exceptions. A misspelt one would have no effect, and a pattern could match unknown issuers. */
function checkExceptions(issuers: NonNullable<FlowOptions["issuers"]>): void {
  checkNames(issuers, Object.keys(Object(issuers)), "issuers.");
  for (const [issuer, exception] of Object.entries(issuers)) {
    const place = `issuers.${issuer}`;
    checkIssuerOption(issuer, place);
    checkNames(exception, ["pkce", "resource", "issuer"], `${place}.`);
    const { pkce = "assumed", resource = "omit", issuer: other } = exception;
    if (pkce !== "assumed") throw wrongOption(`${place}.pkce`, "expected assumed");
    if (resource !== "omit") throw wrongOption(`${place}.resource`, "expected omit");
    if (other !== undefined) checkIssuerOption(other, `${place}.issuer`);
  }
}

/**
 * Checks that an option is an issuer (RFC 8414, 2).
 *
 * @throws {AuthError} `auth-options`
 */
export function checkIssuerOption(value: unknown, name: string): asserts value is string {
  if (endpointUrl(value, true)?.search !== "")
    throw wrongOption(
      name,
      "expected the issuer, an https URL without query, which alone gets the credentials",
    );
}
