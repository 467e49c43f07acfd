import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { extended } from "../../sample/edit.js";
import { outside } from "../../compare/align/bound-values.js";
import { eachType } from "../../compare/align/compare-arms.js";
import type { Maker } from "../../compare/instance-maker.js";
import { type Conjunction, type ShapeArm, scalarTypes, shapeTypes } from "../../compare/shape/form.js";

/** An arm of a union on one side. */
interface ArmSide {
  readonly maker: Maker;
  readonly arm: Conjunction;
}

/** The same on a side that may lack the arm. */
interface PerhapsArmSide {
  readonly maker: Maker;
  readonly arm: Conjunction | undefined;
}

/**
 * `object` with further members, so that no arm of the union `place` takes it; `undefined` where none are found.
 *
 * @param taking the arm that takes the object, and with the further members still
 * @param refusing the same arm on the side of `place`, which refuses the object, or is not there
 * @param kept a member that stays as it is
 */
export function distinguished(
  object: JsonValue,
  taking: ArmSide,
  refusing: PerhapsArmSide,
  place: Conjunction,
  kept?: string,
): JsonObject | undefined {
  const isOfArm = (value: JsonValue): boolean =>
    taking.maker.isValid(taking.arm, value) && !(refusing.arm && refusing.maker.isValid(refusing.arm, value));
  if (!isJsonObject(object) || !isOfArm(object)) return undefined;
  const { reader } = refusing.maker;
  const takers = (value: JsonObject, arms: readonly ShapeArm[]): ShapeArm[] =>
    arms.filter(({ nodes }) => refusing.maker.isValid(nodes, value));
  const done = new Set(kept === undefined ? [] : [kept]);
  let current = object;
  let left = takers(current, reader.of(place).members);
  while (left.length > 0) {
    let best: { readonly key: string; readonly value: JsonObject; readonly left: ShapeArm[] } | undefined;
    for (const [key, values] of membersOf(left, taking, refusing, done)) {
      for (const value of values) {
        const tried = value === undefined ? current : extended(current, key, value);
        const still = takers(tried, left);
        if (still.length < (best?.left ?? left).length && isOfArm(tried))
          best = { key, value: tried, left: still };
      }
      if (best?.left.length === 0) break;
    }
    if (!best) return undefined;
    done.add(best.key);
    ({ value: current, left } = best);
  }
  return refusing.maker.isValid(place, current) ? undefined : current;
}

/** Members that one of `arms` describes, with values that the taking arm is likely to take and they are not. */
function membersOf(
  arms: readonly ShapeArm[],
  { maker, arm }: ArmSide,
  { maker: refuser }: PerhapsArmSide,
  done: ReadonlySet<string>,
): [string, (JsonValue | undefined)[]][] {
  const own = maker.reader.of(arm).members.find(({ type }) => type === "object");
  const keys = new Set(arms.flatMap(({ properties, forbidden }) => [...properties.keys(), ...forbidden]));
  if (arms.some(({ closed }) => closed)) for (const key of own?.properties.keys() ?? []) keys.add(key);
  return [...keys]
    .filter((key) => !done.has(key) && !own?.forbidden.has(key))
    .map((key) => {
      const nodes = own?.properties.get(key)?.nodes ?? own?.additional ?? [];
      const forms = arms.map(({ properties }) => refuser.reader.of(properties.get(key)?.nodes ?? []));
      const beyond = scalarTypes.flatMap((type) => {
        const limits = forms.flatMap(({ scalars }) => scalars.get(type)?.free ?? []);
        const limiting = limits.filter(({ size }) => size > 0);
        return limiting.length > 0 ? outside(maker, nodes, limiting) : [];
      });
      return [key, [...beyond, ...eachType(maker, nodes, shapeTypes), ...maker.samples(nodes, 8)]];
    });
}
