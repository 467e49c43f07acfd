import type { Authorizer, AuthorizeRequest, HeaderValues } from "@mcpgen/runtime";
import { BoundedMap } from "@mcpgen/base";
import { type AuthChallenge, parseChallenges } from "../shared/challenges.js";
import type { Flow } from "./flow.js";
import { type Grant, expiryOf, refreshTimeOf } from "./grant.js";
import type { AuthEvent } from "./options.js";
import type { Proofs } from "./proofs.js";
import type { Need, Renewal } from "./renewal.js";
import { covers, parseScopes, union } from "./scopes.js";
import { type TokenStore, memoryStore } from "./store.js";

/** The previous attempts of one request. */
interface Progress {
  grant: Grant | undefined;
  renewals: number;
  nonces: number;
}

/** Authorizes requests to one server. */
class ServerSession {
  #grant: Grant | undefined;
  #refreshAt = Infinity;
  #proofs: Proofs | undefined;
  /** Whether the store has been read. */
  #loaded = false;
  readonly #progress = new WeakMap<object, Progress>();
  readonly #renewal: () => Promise<Renewal>;
  readonly #flow: Flow;
  readonly #report: (event: AuthEvent) => void;

  constructor(flow: Flow, renewal: () => Promise<Renewal>, report: (event: AuthEvent) => void) {
    this.#flow = flow;
    this.#renewal = renewal;
    this.#report = report;
  }

  get identity(): string | undefined {
    const grant = this.#grant;
    return grant && JSON.stringify([grant.issuer, grant.resource, grant.clientId, grant.id]);
  }

  authorize(request: AuthorizeRequest): HeaderValues | undefined | Promise<HeaderValues | undefined> {
    const { refused, signal } = request;
    if (refused) return this.#afterRefusal(request, refused);
    this.#progress.delete(signal);
    if (this.#grant && Date.now() < this.#refreshAt) return this.#headers(request);
    return this.#ahead(request);
  }

  observe(headers: { get(name: string): string | null }): void {
    this.#proofs?.observe(headers);
  }

  /**
   * Returns the headers for the first attempt of a request. Reads stored tokens, and refreshes them before
   * they expire.
   */
  async #ahead(request: AuthorizeRequest): Promise<HeaderValues> {
    const signal = request.signal as AbortSignal;
    if (!this.#loaded) {
      const stored = await (await this.#renewal()).load();
      if (stored && !this.#grant) await this.#use(stored);
      this.#loaded = true;
    }
    const grant = this.#grant;
    if (!grant) return {};
    if (Date.now() >= this.#refreshAt && (grant.tokens.refresh !== undefined || this.#flow.unattended)) {
      try {
        const next = await (await this.#renewal()).refreshed(grant, signal);
        if (next) await this.#use(next);
        else if (this.#grant === grant) this.#grant = undefined;
      } catch (error) {
        // The token is still valid: a later request tries the refresh again.
        if (signal.aborted || Date.now() >= expiryOf(grant)) throw error;
        this.#refreshAt = Date.now() + 1000;
      }
    }
    return (await this.#headers(request)) ?? {};
  }

  async #afterRefusal(
    request: AuthorizeRequest,
    { status, headers }: NonNullable<AuthorizeRequest["refused"]>,
  ): Promise<HeaderValues | undefined> {
    const challenges = parseChallenges(headers.get("www-authenticate"));
    const progress = this.#progressOf(request.signal);
    if (this.#nonceAsked(challenges, headers) && progress.nonces++ < 2) return this.#headers(request);
    // Another request may have renewed the token meanwhile.
    const renewed = this.#grant !== undefined && this.#grant !== progress.grant;
    if (status === 401) {
      if (!renewed) {
        if (progress.renewals++ >= 2) return undefined;
        await this.#renew(this.#needOf(challenges, progress, request), request.signal as AbortSignal);
      }
      return this.#headers(request);
    }
    const challenge = challenges.find(({ params }) => params["error"] === "insufficient_scope");
    const scopes = parseScopes(challenge?.params["scope"]);
    this.#report({ type: "refused", status, ...(scopes && { scopes }) });
    if (!scopes?.length) return undefined;
    if (!renewed || !covers(this.#grant!.scopes, scopes)) {
      // If all these scopes have been requested before, requesting them again is useless.
      if (covers(this.#grant?.scopes ?? [], scopes) || progress.renewals++ >= 2) return undefined;
      const need = this.#needOf(challenges, progress, request);
      await this.#renew({ ...need, scopes, more: true }, request.signal as AbortSignal);
    }
    return this.#headers(request);
  }

  #progressOf(signal: object): Progress {
    let progress = this.#progress.get(signal);
    if (!progress) this.#progress.set(signal, (progress = { grant: undefined, renewals: 0, nonces: 0 }));
    return progress;
  }

  #nonceAsked(challenges: readonly AuthChallenge[], headers: { get(name: string): string | null }): boolean {
    const asked = challenges.some(
      ({ scheme, params }) => scheme === "dpop" && params["error"] === "use_dpop_nonce",
    );
    return (this.#proofs?.observe(headers) ?? false) && asked;
  }

  #needOf(challenges: readonly AuthChallenge[], progress: Progress, request: AuthorizeRequest): Need {
    const known = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
    const param = (name: string): string | undefined =>
      known.find(({ params }) => params[name] !== undefined)?.params[name];
    return {
      scopes: parseScopes(param("scope")),
      metadata: known.flatMap(({ params }) => params["resource_metadata"] ?? []),
      dpop: known.some(({ scheme }) => scheme === "dpop"),
      refused: this.#grant,
      refresh: progress.renewals < 2,
      more: false,
      revision: request.revision,
    };
  }

  async #renew(need: Need, signal: AbortSignal): Promise<void> {
    // The shared run may have begun for other scopes: try again.
    for (let tries = 0; tries < 3; tries++) {
      const next = await (await this.#renewal()).renewed(need, signal);
      await this.#use(next);
      if (!need.more || covers(next.scopes, union(need.scopes ?? [], []))) return;
    }
  }

  async #use(grant: Grant): Promise<void> {
    if (grant.dpopKey === undefined) this.#proofs = undefined;
    else if (this.#proofs?.key !== grant.dpopKey)
      this.#proofs = await (await import("./proofs.js")).Proofs.of(grant.dpopKey);
    this.#grant = grant;
    this.#refreshAt = refreshTimeOf(grant);
    this.#loaded = true;
  }

  #headers({ method, url, signal }: AuthorizeRequest): HeaderValues | Promise<HeaderValues> {
    const grant = this.#grant;
    this.#progressOf(signal).grant = grant;
    if (!grant) return {};
    const { access } = grant.tokens;
    return this.#proofs ? this.#proofs.headers(method, url, access) : { authorization: `Bearer ${access}` };
  }
}

/** Maximum number of URLs with a session, because a server could redirect to any number. */
const mostServers = 100;

/** Makes the authorizer of a flow, with a session for each server and one store. */
export function authorizerOf(flow: Flow): Authorizer {
  const store: TokenStore = flow.options.store ?? memoryStore();
  const sessions = new BoundedMap<string, ServerSession>({ count: mostServers, full: "evict" });
  const report = (event: AuthEvent): void => flow.options.onEvent?.(event);
  const sessionOf = (url: string): ServerSession => {
    let session = sessions.get(url);
    if (session) return session;
    const { origin, pathname, search } = new URL(url);
    let renewal: Promise<Renewal> | undefined;
    // Most of the code is loaded only when a token is needed.
    const load = async (): Promise<Renewal> =>
      new (await import("./renewal.js")).Renewal(flow, store, origin + pathname + search, report);
    session = new ServerSession(flow, () => (renewal ??= load()), report);
    sessions.set(url, session);
    return session;
  };
  let latest: ServerSession | undefined;
  return {
    authorize: (request) => (latest = sessionOf(request.url)).authorize(request),
    observe: ({ headers, url }) => sessions.get(url)?.observe(headers),
    identity: () => latest?.identity,
  };
}
