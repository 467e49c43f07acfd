/** The `requestState` of a retried request, as the store gets it. */
export interface UsedState {
  /** Identifies the request in all its rounds. */
  readonly request: string;
  /** The round that the state ended: 1 for the first. */
  readonly round: number;
  /** Milliseconds since 1970. The server refuses the state after this time, without the store. */
  readonly expires: number;
}

/** Records the used states of multi round-trip requests, so that each state is used once. */
export interface StateStore {
  /**
   * Whether the state may be used: its round must be later than every used round of that request. Records the use in the
   * same atomic step.
   */
  use(state: UsedState): boolean | Promise<boolean>;
}

/** Default for the number of requests that a store in memory records. */
const mostRequests = 100_000;

/**
 * A store in the memory of this process. States that were used in another process are not known to it. It records a request
 * until its last state has expired.
 *
 * @param most the number of requests to record; the oldest are removed. Default: 100,000
 */
export function memoryStateStore(most: number = mostRequests): StateStore {
  const used = new Map<string, UsedState>();
  return {
    use(state) {
      const before = used.get(state.request);
      if (before && before.round >= state.round) return false;
      // Moves the request to the end: requests that expire first stand first.
      used.delete(state.request);
      used.set(state.request, state);
      for (const [request, { expires }] of used) {
        if (expires > Date.now() && used.size <= most) break;
        used.delete(request);
      }
      return true;
    },
  };
}
