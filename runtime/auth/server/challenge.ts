/** The parameters of a challenge, in the order in which they are written. */
export interface ChallengeFacts {
  /** RFC 6750, 3.1. Absent if no token was sent. */
  readonly error?: string;
  /** Why, in words of our own: no text of a token or an issuer. */
  readonly description?: string;
  readonly scopes: readonly string[];
  /** URL of the protected resource metadata. */
  readonly metadata: string;
  /** Algorithms of DPoP proofs, if those are accepted. */
  readonly proofs?: readonly string[];
}

/** Bytes of the longest list of scopes in a challenge: clients and proxies limit headers. */
export const mostScopeText = 2048;

/** A challenge (RFC 9110, 11.6.1; RFC 9728, 5.1). */
export function challengeText(scheme: "Bearer" | "DPoP", facts: ChallengeFacts): string {
  const { error, description, scopes, metadata, proofs } = facts;
  const parameters = {
    error,
    error_description: description,
    algs: scheme === "DPoP" ? proofs?.join(" ") : undefined,
    scope: scopes.length > 0 ? scopes.join(" ") : undefined,
    resource_metadata: metadata,
  };
  const texts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}="${value.replace(/["\\]/g, "\\$&")}"`,
  );
  return `${scheme} ${texts.join(", ")}`;
}
