import type { Guard } from "../shared/guarded-fetch.js";
import type { Tokens } from "../shared/token-response.js";
import type { Destination } from "./destination.js";
import type { Target } from "./discovery.js";
import type { AuthEvent, FlowOptions } from "./options.js";
import type { Proofs } from "./proofs.js";
import type { TokenStore } from "./store.js";
import type { AuthenticatedClient } from "./token-request.js";

/** What a flow knows when it asks for tokens. */
export interface FlowContext extends Destination {
  readonly server: string;
  readonly target: Target;
  /** Value of the parameter `resource`: none where an exception omits it. */
  readonly resource: string | undefined;
  /** Scopes of the challenge. */
  readonly challenged: readonly string[] | undefined;
  /** Scopes that were asked for before, and are to be kept. */
  readonly kept: readonly string[];
  readonly proofs: Proofs | undefined;
  readonly guard: Guard;
  readonly store: TokenStore;
  readonly report: (event: AuthEvent) => void;
  readonly signal: AbortSignal;
}

/** What a flow got. */
export interface FlowResult {
  readonly client: AuthenticatedClient;
  /** The scopes that were asked for. */
  readonly scopes: readonly string[];
  readonly tokens: Tokens;
}

/** A way to get tokens. */
export interface Flow {
  readonly options: FlowOptions;
  /** Names the client among those that share a store. */
  readonly name: string;
  /** Whether tokens come without a user, so that expired ones are replaced ahead of time. */
  readonly unattended: boolean;
  /** The issuer that the application names: preferred where the server names several, and used where it has no metadata. */
  readonly issuer?: string | undefined;
  /** The revision whose servers may lack metadata. */
  readonly legacy?: string | undefined;
  acquire(context: FlowContext): Promise<FlowResult>;
  /** The client of stored tokens that do not hold it, with what it authenticates with. */
  client(context: FlowContext): Promise<AuthenticatedClient | undefined>;
}
