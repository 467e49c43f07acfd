import * as oauth from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import type { Guard } from "../shared/guarded-fetch.js";
import { TokenRefusal, type Tokens } from "../shared/token-response.js";
import { hostOf, isLoopback } from "../shared/urls.js";
import { type Target, discoverLegacy, discoverResource, discoverServer, namedTarget } from "./discovery.js";
import { belongsTo, isNamedIssuer } from "./destination.js";
import type { Flow, FlowContext } from "./flow.js";
import { type Grant, expiryOf, refreshTimeOf } from "./grant.js";
import type { KnownServer } from "./issuer-names.js";
import type { AuthEvent } from "./options.js";
import { Proofs } from "./proofs.js";
import { forgetRefused } from "./registration.js";
import { covers } from "./scopes.js";
import { SingleFlight } from "./single-flight.js";
import { readGrant, readPointer, writeRecord } from "./records.js";
import { type TokenStore, storeKey } from "./store.js";
import { type TokenEndpoint, authentication, requestTokens } from "./token-request.js";

/** The reason to renew a token, from a 401 or 403 response. */
export interface Need {
  readonly scopes: readonly string[] | undefined;
  /** URLs of the protected resource metadata in the challenges. */
  readonly metadata: readonly string[];
  readonly dpop: boolean;
  /** The refused grant. */
  readonly refused: Grant | undefined;
  /** Whether to try a refresh first. */
  readonly refresh: boolean;
  /** Whether more scopes are needed, so that a refresh does not help. */
  readonly more: boolean;
  readonly revision: string | undefined;
}

/** The result of discovery: the target and its authorization server. */
interface Discovered {
  readonly target: Target;
  readonly as: KnownServer;
}

/** Current runs by store: authorizers with one store share them. */
const flights = new WeakMap<TokenStore, SingleFlight>();

/**
 * Gets and renews the tokens for one server. Renewals run one at a time in this process, and across processes if
 * the store has locks.
 */
export class Renewal {
  readonly #flow: Flow;
  readonly #store: TokenStore;
  readonly #server: string;
  readonly #report: (event: AuthEvent) => void;
  readonly #flights: SingleFlight;
  /** The grant of the last login in this process. */
  #fresh: Grant | undefined;
  /** Cached metadata for refreshes, of one issuer only, because a server could name any number. */
  #as: KnownServer | undefined;

  constructor(flow: Flow, store: TokenStore, server: string, report: (event: AuthEvent) => void) {
    this.#flow = flow;
    this.#store = store;
    this.#server = server;
    this.#report = report;
    let shared = flights.get(store);
    if (!shared) flights.set(store, (shared = new SingleFlight()));
    this.#flights = shared;
  }

  /** Reads the stored grant for the server. */
  async load(): Promise<Grant | undefined> {
    const value = await readPointer(this.#store, this.#pointer);
    if (!value) return undefined;
    return readGrant(this.#store, this.#key(value.issuer, value.resource));
  }

  /**
   * Renews a grant before it expires.
   *
   * @returns `undefined` if the grant can no longer be renewed
   */
  refreshed(grant: Grant, signal: AbortSignal): Promise<Grant | undefined> {
    return this.#flights.run(this.#flight("refresh"), signal, async (signal) => {
      const unlock = await this.#lock(grant, signal);
      try {
        const current = await this.#newer(grant);
        if (current && Date.now() < refreshTimeOf(current)) return current;
        const as = await this.#metadata(grant.issuer, signal);
        const target: Target = { resource: grant.resource, issuer: grant.issuer, dpop: undefined };
        const context = await this.#context({ as, target }, undefined, grant, signal);
        if (grant.tokens.refresh === undefined) return await this.#acquire(context, grant);
        return await this.#refresh(grant, context);
      } finally {
        await unlock();
      }
    });
  }

  /** Gets a grant after a refusal: from another run, by a refresh, or by a new login. */
  renewed(need: Need, signal: AbortSignal): Promise<Grant> {
    const key = this.#flight(need.more ? "more" : "login");
    return this.#flights.run(key, signal, async (signal) => {
      const found = await this.#discover(need, signal);
      const unlock = await this.#lock(found.target, signal);
      try {
        return await this.#served(need, found, signal);
      } finally {
        await unlock();
      }
    });
  }

  async #served(need: Need, found: Discovered, signal: AbortSignal): Promise<Grant> {
    const { target } = found;
    const kept = await readGrant(this.#store, this.#key(target.issuer, target.resource));
    const { refused: sent } = need;
    // The sent grant is newer if the store failed to store it.
    const stored = kept && sent && sent.id === kept.id && isAsNew(sent, kept) ? sent : kept;
    const enough = covers(stored?.scopes ?? [], (need.more && need.scopes) || []);
    // If the token of a new login is refused, send it once more: another login would give the same token.
    const refused = need.refresh || sent !== this.#fresh ? sent?.tokens.access : "";
    if (stored && enough && stored.tokens.access !== refused && Date.now() < expiryOf(stored)) return stored;
    const context = await this.#context(found, need, stored, signal);
    if (stored?.tokens.refresh !== undefined && need.refresh && enough && !need.more) {
      const next = await this.#refresh(stored, context);
      if (next) return next;
    }
    const fresh = (this.#fresh = await this.#acquire(context, undefined));
    // Remove the registration that the old login used. Redirect URIs change, so unused registrations would
    // accumulate.
    const left = stored?.client?.registration;
    if (left && left !== fresh.client?.registration) await writeRecord(this.#store, left, undefined);
    return fresh;
  }

  async #discover(need: Need, signal: AbortSignal): Promise<Discovered> {
    const guard = this.#guard(signal);
    const { options, issuer, legacy } = this.#flow;
    const found = await discoverResource(this.#server, need, { ...options, issuer }, guard);
    const target = found ?? (issuer === undefined ? undefined : namedTarget(this.#server, issuer, need.dpop));
    if (target) {
      this.#as = undefined;
      const as = await this.#metadata(target.issuer, signal);
      const { resource = this.#server } = target;
      const scopes = need.scopes ?? target.scopes;
      this.#report({ type: "discovered", issuer: as.issuer, resource, scopes });
      return { target, as };
    }
    if (legacy && legacy === need.revision) {
      const as = await discoverLegacy(this.#server, legacy, guard, options.issuers);
      this.#as = as;
      return { target: { resource: undefined, issuer: as.issuer, dpop: undefined }, as };
    }
    const text = `${hostOf(this.#server)} has no protected resource metadata: name its authorization server with the option issuer`;
    throw new AuthError("auth-metadata-invalid", text);
  }

  async #metadata(issuer: string, signal: AbortSignal): Promise<KnownServer> {
    const { issuers } = this.#flow.options;
    if (this.#as?.issuer !== issuer) this.#as = await discoverServer(issuer, this.#guard(signal), issuers);
    return this.#as;
  }

  async #context(
    { as, target }: Discovered,
    need: Need | undefined,
    grant: Grant | undefined,
    signal: AbortSignal,
  ): Promise<FlowContext> {
    const omitted = this.#flow.options.issuers?.[as.issuer]?.resource === "omit";
    return {
      server: this.#server,
      as,
      isNamed: isNamedIssuer(as.issuer, { issuer: this.#flow.issuer, issuers: this.#flow.options.issuers }),
      target,
      resource: omitted ? undefined : target.resource,
      challenged: need?.scopes,
      kept: (need?.more && grant?.scopes) || [],
      proofs: await this.#proofs(as, target, grant),
      guard: this.#guard(signal),
      store: this.#store,
      report: this.#report,
      signal,
    };
  }

  /**
   * Decides whether to bind tokens to a key: if both sides offer it, or one side or the application requires it.
   */
  async #proofs(
    as: KnownServer,
    { dpop: offered }: Target,
    grant: Grant | undefined,
  ): Promise<Proofs | undefined> {
    const { dpop = "when-offered" } = this.#flow.options;
    if (grant?.dpopKey !== undefined && dpop !== "never") return Proofs.of(grant.dpopKey);
    const listed = as.dpop_signing_alg_values_supported?.includes("ES256") ?? false;
    const required = dpop === "required" || offered === "required";
    if (required && (!listed || dpop === "never")) {
      const text = `${hostOf(this.#server)} needs DPoP: ${listed ? 'set dpop: "when-offered"' : `${hostOf(as.issuer)} does not offer it with ES256`}`;
      throw new AuthError("auth-refused", text);
    }
    return listed && dpop !== "never" && (required || offered) ? Proofs.of() : undefined;
  }

  /** @returns `undefined` if the refresh token no longer works */
  #refresh(grant: Grant, context: FlowContext): Promise<Grant | undefined> {
    // The request continues even if its callers give up, because the answer may contain the next refresh token.
    // Other callers join it.
    const never = AbortSignal.any([]);
    return this.#flights.run(JSON.stringify(grant), never, () => this.#rotated(grant, context));
  }

  async #rotated(grant: Grant, context: FlowContext): Promise<Grant | undefined> {
    const { as, isNamed, resource, proofs } = context;
    const client = grant.client ?? (await this.#flow.client(context));
    if (client?.id !== grant.clientId) return undefined;
    // The token endpoint now has another owner: a new login is required.
    if (![grant, client].every((each) => belongsTo(each, context, "token_endpoint"))) return undefined;
    const endpoint: TokenEndpoint = { as, isNamed, client, guard: this.#guard(), proofs };
    try {
      const auth = await authentication(endpoint);
      const tokens = await requestTokens(endpoint, (options) =>
        oauth.refreshTokenGrantRequest(as, { client_id: client.id }, auth, grant.tokens.refresh!, {
          ...options,
          ...(resource !== undefined && { additionalParameters: { resource } }),
        }),
      );
      this.#report(event("refreshed", as, tokens));
      const next = { ...grant, tokens: { ...tokens, refresh: tokens.refresh ?? grant.tokens.refresh } };
      // The old refresh token is no longer valid. Keep the new tokens even if the store fails, or the user must log
      // in again.
      await this.#keep(next).catch(() => this.#report({ type: "not-stored", issuer: as.issuer }));
      return next;
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      // If the store has no locks, another process may have used the refresh token first.
      const winner = await this.#newer(grant);
      if (winner) return winner;
      const key = this.#key(grant.issuer, grant.resource);
      await this.#store.put(key, undefined, JSON.stringify(grant));
      await forgetRefused(this.#store, client, error);
      return undefined;
    }
  }

  async #acquire(context: FlowContext, before: Grant | undefined): Promise<Grant> {
    const { as, target, proofs } = context;
    const { client, scopes, tokens } = await this.#flow.acquire(context);
    this.#report(event("token", as, tokens));
    return this.#keep({
      id: before?.id ?? crypto.randomUUID(),
      issuer: as.issuer,
      endpoint: as.token_endpoint!,
      resource: target.resource,
      clientId: client.id,
      ...(client.registration !== undefined && { client }),
      scopes,
      tokens,
      dpopKey: proofs?.key,
    });
  }

  async #keep(grant: Grant): Promise<Grant> {
    const { issuer, resource } = grant;
    await writeRecord(this.#store, this.#key(issuer, resource), grant);
    await writeRecord(this.#store, this.#pointer, { issuer, resource });
    return grant;
  }

  /** Returns the stored grant if it differs from the given one and is not older. */
  async #newer(grant: Grant): Promise<Grant | undefined> {
    const value = await readGrant(this.#store, this.#key(grant.issuer, grant.resource));
    const isOther = value && value.tokens.access !== grant.tokens.access;
    return isOther && !isAsNew(grant, value) ? value : undefined;
  }

  async #lock(
    at: { issuer: string; resource: string | undefined },
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    return (await this.#store.lock?.(this.#key(at.issuer, at.resource), signal)) ?? (async () => undefined);
  }

  #guard(signal?: AbortSignal): Guard {
    // Only a server on this machine may refer the client to this machine.
    const { fetch, privateNetwork } = this.#flow.options;
    return { fetch, privateNetwork, local: isLoopback(new URL(this.#server).hostname), signal };
  }

  #flight(kind: string): string {
    return storeKey(kind, this.#server, this.#flow.name);
  }

  #key(issuer: string, resource: string | undefined): string {
    return storeKey("tokens", issuer, resource ?? this.#server, this.#flow.name);
  }

  get #pointer(): string {
    return storeKey("server", this.#server, this.#flow.name);
  }
}

const isAsNew = (one: Grant, other: Grant): boolean => one.tokens.obtained >= other.tokens.obtained;

function event(type: "token" | "refreshed", as: KnownServer, tokens: Tokens): AuthEvent {
  return { type, issuer: as.issuer, ...(tokens.expiresIn !== undefined && { expiresIn: tokens.expiresIn }) };
}
