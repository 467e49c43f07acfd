import type { Guard } from "../shared/guarded-fetch.js";
import type { Tokens } from "../shared/token-response.js";
import type { Destination } from "./destination.js";
import type { Target } from "./discovery.js";
import type { AuthEvent, FlowOptions } from "./options.js";
import type { Proofs } from "./proofs.js";
import type { TokenStore } from "./store.js";
import type { AuthenticatedClient } from "./token-request.js";

/** The context in which a flow requests tokens. */
export interface FlowContext extends Destination {
  readonly server: string;
  readonly target: Target;
  /** The value of the parameter `resource`; `undefined` if an exception omits it. */
  readonly resource: string | undefined;
  /** Scopes in the challenge. */
  readonly challenged: readonly string[] | undefined;
  /** Previously requested scopes that must be requested again. */
  readonly kept: readonly string[];
  readonly proofs: Proofs | undefined;
  readonly guard: Guard;
  readonly store: TokenStore;
  readonly report: (event: AuthEvent) => void;
  readonly signal: AbortSignal;
}

/** The result of a flow. */
export interface FlowResult {
  readonly client: AuthenticatedClient;
  /** The requested scopes. */
  readonly scopes: readonly string[];
  readonly tokens: Tokens;
}

/** A way to get tokens. */
export interface Flow {
  readonly options: FlowOptions;
  /** Identifies the client among clients that share a store. */
  readonly name: string;
  /** Whether the flow needs no user, so that tokens can be replaced before they expire. */
  readonly unattended: boolean;
  /** The issuer that the application names. Preferred if the server names several; used if the server has no metadata. */
  readonly issuer?: string | undefined;
  /** The revision at which servers may lack metadata. */
  readonly legacy?: string | undefined;
  acquire(context: FlowContext): Promise<FlowResult>;
  /** Returns the client, with its credentials, of a stored grant that does not contain its client. */
  client(context: FlowContext): Promise<AuthenticatedClient | undefined>;
}
