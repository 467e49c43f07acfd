import fc from "fast-check";

/** What a client, or a stranger, tries between two rounds. Nothing of it may run a line of the handler. */
const tries = [
  "forged",
  "stranger",
  "other",
  "wrong",
  "old",
  "late",
  "slow",
  "cancelled",
  "withdrawn",
] as const;
export type Try = (typeof tries)[number];

/** How the answers of a round are sent. */
const manners = ["plain", "twice", "racing", "partly", "without", "bare"] as const;
export type Manner = (typeof manners)[number];

/** What ends a conversation early. */
export const endings = ["gone", "hung up", "killed", "closed", "expired"] as const;
export type Ending = (typeof endings)[number];

export interface Plan {
  /** By round. Later rounds are plain. */
  readonly rounds: readonly { readonly tries: readonly Try[]; readonly manner: Manner }[];
  readonly ending: { readonly how: Ending; readonly round: number } | undefined;
}

export const plans: fc.Arbitrary<Plan> = fc.record({
  rounds: fc.array(
    fc.record({
      tries: fc.array(fc.constantFrom(...tries), { maxLength: 3 }),
      manner: fc.oneof(
        { weight: 4, arbitrary: fc.constant("plain" as const) },
        { weight: 4, arbitrary: fc.constantFrom(...manners) },
      ),
    }),
    { maxLength: 5 },
  ),
  ending: fc.option(fc.record({ how: fc.constantFrom(...endings), round: fc.nat(3) }), { nil: undefined }),
});
