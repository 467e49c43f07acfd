import type { AuthorizationServer } from "oauth4webapi";
import type { FlowOptions } from "./options.js";

// An authorization server has one identity: the issuer by which a resource or the application names it. Grants, registrations
// and credentials belong to that name. What the server calls itself is the same text, or one that the application names beside
// it, as an exception; it counts in what the server writes and reads, and nowhere else.

const names = Symbol("names");
const own = Symbol("own name");

/** Metadata of an authorization server; `issuer` is its identity. */
export interface KnownServer extends AuthorizationServer {
  /** What it may call itself. */
  readonly [names]?: readonly string[];
  /** What its metadata calls it. */
  readonly [own]?: string;
}

/** The names that an issuer may give itself: its own, and the one of an exception. Compared as texts. */
export function issuerNames(issuer: string, exceptions: FlowOptions["issuers"] = {}): readonly string[] {
  const other = Object.hasOwn(exceptions, issuer) ? exceptions[issuer]!.issuer : undefined;
  return other === undefined ? [issuer] : [issuer, other];
}

/** Metadata whose `issuer` is one of the names of an issuer, under that issuer. */
export function knownServer(
  metadata: AuthorizationServer,
  issuer: string,
  accepted: readonly string[],
): KnownServer {
  return { ...metadata, issuer, [own]: metadata.issuer, [names]: accepted };
}

/** Whether a response that names its issuer is from a server (RFC 9207, 2.4). */
export function isFrom(as: KnownServer, issuer: string): boolean {
  return (as[names] ?? [as.issuer]).includes(issuer);
}

/** Metadata under the name that the server gives itself: as it expects to be called, for example in `aud` of assertions. */
export function ownMetadata(as: KnownServer): AuthorizationServer {
  return { ...as, issuer: as[own] ?? as.issuer };
}
