import { type ServerSource, kindOfServer } from "../../capture/server-source.js";
import { shownSource } from "../../capture/shown-source.js";
import type { ServerOptions } from "../../capture/with-server.js";
import { scopesOf } from "../../contract/scopes.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diagnostics/finding.js";
import { proxyAdvice } from "../../files/proxies.js";
import type { ServerFault, ServerInspection } from "../../login/auth-package.js";
import { oneLine } from "../../print/one-line.js";
import type { ContractSource } from "../contract-source.js";

/** What is wrong with the metadata of a protected server. */
export interface MetadataReport {
  readonly findings: readonly Finding[];
  /** For programs; undefined for a server that asks for no token. */
  readonly authorization?: Omit<ServerInspection, "faults">;
}

/** The finding of each fault, and what to do. */
const reports: Readonly<Record<ServerFault["kind"], Pick<Finding, "code" | "severity" | "next">>> = {
  "challenge-missing": {
    code: "MG6314",
    severity: "warning",
    next: 'Answer 401 with WWW-Authenticate: Bearer resource_metadata="URL".',
  },
  "challenge-without-metadata": {
    code: "MG6314",
    severity: "warning",
    next: "Add resource_metadata with the URL of the metadata.",
  },
  "metadata-missing": { code: "MG6315", severity: "error", next: "Serve the metadata at this URL." },
  "metadata-elsewhere": { code: "MG6315", severity: "warning", next: "Serve it at both URLs." },
  "metadata-unusable": {
    code: "MG6315",
    severity: "error",
    next: "Answer with 200, application/json and a JSON object.",
  },
  "resource-mismatch": {
    code: "MG6316",
    severity: "error",
    next: "Set resource to the URL that clients use.",
  },
  "resource-broader": {
    code: "MG6316",
    severity: "warning",
    next: "Set resource to the URL of the server.",
  },
  "issuer-missing": { code: "MG6317", severity: "error", next: "List the issuer in authorization_servers." },
  "issuer-unusable": {
    code: "MG6318",
    severity: "error",
    next: "Correct the URL in authorization_servers, or the metadata of the issuer.",
  },
  "pkce-missing": {
    code: "MG6319",
    severity: "error",
    next: "Let the authorization server list S256, or give clients an exception for this issuer.",
  },
};

/**
 * Compares the metadata of a protected server with what clients need, and with the scopes of its contract. Writes nothing, and
 * sends no credentials. A server that cannot be reached has no findings here: its connection has.
 */
export async function metadataOf(
  source: ServerSource,
  contract: ContractSource,
  options: ServerOptions,
): Promise<MetadataReport> {
  const url = openUrl(source, options);
  if (url === undefined || !options.authorization) return { findings: [] };
  try {
    return await report(url, source, scopesOf(contract.contract), options);
  } catch (error) {
    if (error instanceof CodedError && error.code !== "MG2013") throw error;
    return { findings: [] };
  }
}

/**
 * The same without a contract.
 *
 * @returns undefined for a server on standard input and output, and for one that gets credentials: clients need no metadata
 * @throws CodedError MG4102 for a server that cannot be reached, or does not answer now
 */
export async function metadataAlone(
  source: ServerSource,
  options: ServerOptions,
): Promise<MetadataReport | undefined> {
  const url = openUrl(source, options);
  if (url === undefined || !options.authorization) return undefined;
  try {
    return await report(url, source, [], options);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const { message, cause: inner } = cause as Error;
    const why = oneLine(inner instanceof Error && inner.message !== "" ? inner.message : message, " ");
    throw new CodedError("MG4102", `the server cannot be judged: ${why}`, {
      place: { file: shownSource(source) },
      next: proxyAdvice(cause) ?? "Check the address and the network.",
      cause,
    });
  }
}

/** @param wanted scopes of the contract */
async function report(
  url: string,
  source: ServerSource,
  wanted: readonly string[],
  { authorization: login, timeout }: ServerOptions,
): Promise<MetadataReport> {
  const shown = shownSource(source);
  const inspection = await login!.inspect(url, timeout);
  if (!inspection) return { findings: wanted.length > 0 ? [unprotected(shown)] : [] };
  const { faults, ...authorization } = inspection;
  const findings = faults.map(({ kind, at, message }): Finding => {
    const place = { file: at === url ? shown : at.slice(0, 300) };
    return { ...reports[kind], message, place } as Finding;
  });
  return { findings: [...findings, ...missingScopes(wanted, authorization, shown)], authorization };
}

/** The URL of a server to which no header of the user's authorizes requests. */
function openUrl(source: ServerSource, { headers }: ServerOptions): string | undefined {
  if (kindOfServer(source) !== "http") return undefined;
  const address = typeof source === "string" ? undefined : source.address;
  const named = address?.kind === "http" ? address : undefined;
  const url = named?.url ?? (source as string);
  const given = Object.keys({ ...named?.headers, ...headers });
  const isGiven = named?.moreHeaders !== undefined || given.some((name) => /^authorization$/i.test(name));
  if (!URL.canParse(url) || isGiven) return undefined;
  const { username, password } = new URL(url);
  return username === "" && password === "" ? url : undefined;
}

function unprotected(file: string): Finding {
  const message = "the contract has scopes, and the server answers requests without a token";
  const next = "Protect the endpoint: `resourceServer()` of @mcpgen/auth/server.";
  return { code: "MG6321", severity: "warning", message, place: { file }, next };
}

function missingScopes(
  wanted: readonly string[],
  { scopes }: Pick<ServerInspection, "scopes">,
  file: string,
): Finding[] {
  const missing = scopes ? wanted.filter((scope) => !scopes.includes(scope)) : [];
  if (missing.length === 0) return [];
  const message = `scopes_supported lacks ${missing.join(", ")}, which the contract requires`;
  const next = "List them if most users need them.";
  return [{ code: "MG6320", severity: "warning", message, place: { file }, next }];
}
