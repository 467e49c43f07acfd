import { checkFunction, wrongOption } from "../shared/option-check.js";
import { endpointUrl } from "../shared/urls.js";
import type { FlowOptions } from "./options.js";

/**
 * Checks the values of the options that all flows have, and of the issuer.
 *
 * @throws {AuthError} `auth-options`
 */
export function checkFlow({ store, dpop, issuer }: FlowOptions & { readonly issuer?: unknown }): void {
  if (store !== undefined) checkFunction((store as typeof store | null)?.put, "store.put");
  if (issuer !== undefined) checkIssuerOption(issuer, "issuer");
  if (dpop !== undefined && !["never", "when-offered", "required"].includes(dpop))
    throw wrongOption("dpop", "expected never, when-offered or required");
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
