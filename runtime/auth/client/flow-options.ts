import { type OptionFault, type Rules, text, withFunctions } from "@mcpgen/base";
import { entryFault, scopeList } from "../shared/option-rules.js";
import { endpointUrl } from "../shared/urls.js";
import type { FlowOptions, IssuerException, KnownClient } from "./options.js";

/** The rule for an issuer (RFC 8414, 2). */
function issuer(value: unknown): string | undefined {
  return endpointUrl(value, true)?.search === ""
    ? undefined
    : "the issuer, an https URL without query, which alone gets the credentials";
}

/** A misspelt exception would have no effect, and a pattern could match unknown issuers. */
function exceptions(value: unknown, place: string): string | OptionFault | undefined {
  const rules: Rules<IssuerException> = { pkce: ["assumed"], resource: ["omit"], issuer };
  return entryFault(value, place, issuer, rules);
}

/** Valid values of the common options of all flows. */
export const flowRules: Rules<FlowOptions> = {
  store: /* @__PURE__ */ withFunctions("get", "put"),
  chooseIssuer: "function",
  issuers: exceptions,
  dpop: ["never", "when-offered", "required"],
  fetch: "function",
  privateNetwork: "boolean",
  onEvent: "function",
};

/** Valid values of options about one client. */
export const clientRules: Rules<KnownClient> = { id: text, secret: text, key: "object", issuer };

/** Valid values of options of flows without a user. */
export const machineRules = { ...flowRules, scopes: scopeList };
