/** A scope token (RFC 6749, 3.3). Without this check, a scope could break out of a header value. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** Parses a space-separated list of scopes. Leaves out malformed scopes. */
export function scopesOf(text: string): string[] {
  return text.split(" ").filter((each) => scopeToken.test(each));
}

/** Whether a value is a scope that is safe in a header. */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && scopeToken.test(value);
}

/** For each scope, the narrower scopes that it implies, directly or through others. */
export type ScopeHierarchy = ReadonlyMap<string, ReadonlySet<string>>;

/** Computes the transitive closure of a hierarchy. The scopes of a cycle imply each other. */
export function scopeHierarchy(direct: Readonly<Record<string, readonly string[]>> = {}): ScopeHierarchy {
  const whole = new Map<string, Set<string>>();
  for (const scope of Object.keys(direct)) {
    const implied = new Set<string>();
    const waiting = [...direct[scope]!];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (implied.has(next)) continue;
      implied.add(next);
      if (Object.hasOwn(direct, next)) waiting.push(...direct[next]!);
    }
    whole.set(scope, implied);
  }
  return whole;
}

/** Returns the needed scopes that the granted scopes neither contain nor imply. */
export function missingScopes(
  needed: readonly string[],
  granted: readonly string[],
  hierarchy: ScopeHierarchy,
): string[] {
  return needed.filter(
    (scope) => !granted.includes(scope) && !granted.some((broader) => hierarchy.get(broader)?.has(scope)),
  );
}
