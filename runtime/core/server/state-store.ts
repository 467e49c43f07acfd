/** A state that a client brings back, as a store sees it. */
export interface UsedState {
  /** Name of the request through all its rounds. */
  readonly request: string;
  /** The round that the state ended: 1 for the first. */
  readonly round: number;
  /** Milliseconds since 1970; after that the state is refused without the store. */
  readonly expires: number;
}

/** Remembers which states of multi round-trip requests were used, so that none is used twice. */
export interface StateStore {
  /**
   * Whether a state may be used: its round is later than every round of that request that was used before. Notes, in one
   * step, that it is used now.
   */
  use(state: UsedState): boolean | Promise<boolean>;
}

/** Requests that a store in memory remembers, unless told otherwise. */
const mostRequests = 100_000;

/**
 * A store in the memory of this process: it knows nothing of states that were used in another. It remembers a request
 * until its last state has expired, the newest 100,000 at most.
 *
 * @param most requests to remember
 */
export function memoryStateStore(most: number = mostRequests): StateStore {
  const used = new Map<string, UsedState>();
  return {
    use(state) {
      const before = used.get(state.request);
      if (before && before.round >= state.round) return false;
      // To the end: those that expire first stand first.
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
