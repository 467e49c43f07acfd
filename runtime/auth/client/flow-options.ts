import { checkFunction, wrongOption } from "../shared/option-check.js";
import type { FlowOptions } from "./options.js";

/**
 * Checks the values of the options that all flows have, and of the issuer.
 *
 * @throws {AuthError} `auth-options`
 */
export function checkFlow({ store, dpop, issuer }: FlowOptions & { readonly issuer?: string }): void {
  if (store !== undefined) checkFunction((store as typeof store | null)?.put, "store.put");
  if (issuer !== undefined && !URL.canParse(issuer)) throw wrongOption("issuer", "expected a URL");
  if (dpop !== undefined && !["never", "when-offered", "required"].includes(dpop))
    throw wrongOption("dpop", "expected never, when-offered or required");
}
