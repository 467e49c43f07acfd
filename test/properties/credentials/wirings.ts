import fc from "fast-check";
import { type Wiring, endpointNames } from "./parties.js";

/** Parties of a world. */
export const count = 4;

export const party = fc.nat({ max: count - 1 });

/** Mostly the first value. */
export const mostly = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, weight = 5): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: other, weight: 1 });

const none = fc.constant(undefined);

/** The behaviour of one party. Most parties are honest in most respects, so that flows continue. */
function wiringOf(self: number): fc.Arbitrary<Wiring> {
  const own = mostly(fc.constant(self), party);
  return fc.record({
    guard: mostly(fc.constant<Wiring["guard"]>("oauth"), fc.constantFrom("open", "bare")),
    lists: fc.uniqueArray(party, { minLength: 1, maxLength: 3 }),
    metadataAt: own,
    resource: mostly(fc.constant(self), party, 8),
    redirects: mostly(none, party as fc.Arbitrary<number | undefined>, 10),
    names: mostly(fc.constant(self), party, 10),
    endpoints: fc.record(
      Object.fromEntries(endpointNames.map((name) => [name, own])) as Record<
        (typeof endpointNames)[number],
        fc.Arbitrary<number>
      >,
    ),
    iss: fc.constantFrom("sent", "omitted", "claimed"),
    tokenRedirects: mostly(none, party as fc.Arbitrary<number | undefined>, 10),
    gives: fc.record({ secret: fc.boolean(), refresh: fc.boolean() }),
  });
}

/** The behaviour of all parties. */
export const wirings: fc.Arbitrary<readonly Wiring[]> = fc.tuple(
  ...Array.from({ length: count }, (_, self) => wiringOf(self)),
);
