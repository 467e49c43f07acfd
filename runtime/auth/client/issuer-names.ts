import type { AuthorizationServer } from "oauth4webapi";
import type { FlowOptions } from "./options.js";

// An authorization server has one identity: the issuer by which a resource or the application names it. Grants, registrations
// and credentials belong to that identity. The server itself uses the same text, or another name that the application has
// listed as an exception. That other name is used only in messages to and from the server.

const names = Symbol("names");
const own = Symbol("own name");

/** Metadata of an authorization server; `issuer` is its identity. */
export interface KnownServer extends AuthorizationServer {
  /** The names that the server may use for itself. */
  readonly [names]?: readonly string[];
  /** The name in its metadata. */
  readonly [own]?: string;
}

/** Returns the names that an issuer may use for itself: the issuer, and the name in an exception. Compared as texts. */
export function issuerNames(issuer: string, exceptions: FlowOptions["issuers"] = {}): readonly string[] {
  const other = Object.hasOwn(exceptions, issuer) ? exceptions[issuer]!.issuer : undefined;
  return other === undefined ? [issuer] : [issuer, other];
}

/** Returns the metadata under the issuer's identity, if its `issuer` is one of the issuer's names. */
export function knownServer(
  metadata: AuthorizationServer,
  issuer: string,
  accepted: readonly string[],
): KnownServer {
  return { ...metadata, issuer, [own]: metadata.issuer, [names]: accepted };
}

/** Whether the `iss` of a response names the server (RFC 9207, 2.4). */
export function isFrom(as: KnownServer, issuer: string): boolean {
  return (as[names] ?? [as.issuer]).includes(issuer);
}

/** Returns the metadata under the server's own name, which it expects, for example, in `aud` of assertions. */
export function ownMetadata(as: KnownServer): AuthorizationServer {
  return { ...as, issuer: as[own] ?? as.issuer };
}
