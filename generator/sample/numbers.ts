import { type SchemaNode, divides } from "@mcpgen/engine";
import type { Random } from "./random.js";

/** The limits that several nodes together set for a number. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly integer: boolean;
  /** Every number is a multiple of each of these. */
  readonly steps: readonly number[];
}

/** Exclusive bounds are taken as inclusive here: a sample that sits on one is drawn again. */
export function rangeOf(nodes: readonly SchemaNode[], integer: boolean): NumberRange {
  const bounds = (
    names: readonly ("minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum")[],
  ): number[] =>
    nodes.flatMap((node) => names.map((name) => node[name])).filter((bound) => bound !== undefined);
  return {
    least: bounds(["minimum", "exclusiveMinimum"]).reduce((most, bound) => Math.max(most, bound), -Infinity),
    most: bounds(["maximum", "exclusiveMaximum"]).reduce((least, bound) => Math.min(least, bound), Infinity),
    integer,
    steps: nodes.map((node) => node.multipleOf).filter((step) => step !== undefined),
  };
}

/** The plainest number in a range: 1 where that fits, else the nearest to it. */
export function firstNumber(range: NumberRange): number {
  const { least, most, integer } = range;
  const candidates = [1, 0, least, least + 1, most, most - 1, (least + most) / 2, ...multiples(range)];
  const fitting = candidates.find((number) => fits(number, range) && number !== least && number !== most);
  return fitting ?? candidates.find((number) => fits(number, range)) ?? (integer ? Math.ceil(least) : least);
}

/** Numbers worth trying in a range: its ends, their neighbours, zero, fractions, what 53 bits cannot hold. */
export function edgeNumbers(range: NumberRange, random: Random): number[] {
  const { least, most } = range;
  const candidates = [0, 1, -1, 42, 0.5, -2.25, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e300, -1e300, 1e-7];
  candidates.push(
    least,
    least + 1,
    most,
    most - 1,
    random.below(1000),
    random.fraction(),
    ...multiples(range),
  );
  if (Number.isFinite(least) && Number.isFinite(most))
    candidates.push(least + random.fraction() * (most - least));
  const fitting = candidates.filter((number) => fits(number, range));
  return fitting.length > 0 ? fitting : [firstNumber(range)];
}

function multiples({ steps, least }: NumberRange): number[] {
  const from = Number.isFinite(least) ? least : 0;
  return steps.flatMap((step) => [step, Math.ceil(from / step) * step, (Math.ceil(from / step) + 3) * step]);
}

function fits(number: number, { least, most, integer, steps }: NumberRange): boolean {
  return (
    Number.isFinite(number) &&
    number >= least &&
    number <= most &&
    (!integer || Number.isInteger(number)) &&
    steps.every((step) => divides(step, number))
  );
}
