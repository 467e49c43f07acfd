import type { Expression } from "../../../engine/patterns/parse.js";

/** More steps than this are not counted. */
export const mostSteps = 200_000;

/**
 * The steps that a backtracking matcher takes, as that of the platform is one: at each place of the text in turn,
 * each way of matching in turn, until one is found.
 */
export function stepsOf(expression: Expression, text: string): number {
  let steps = 0;
  type Then = (at: number) => boolean;

  const match = (part: Expression, at: number, then: Then): boolean => {
    if (++steps > mostSteps) return true;
    switch (part.kind) {
      case "atom":
        return at < text.length && new RegExp(`^${part.source}$`, "u").test(text[at]!) && then(at + 1);
      case "boundary":
        return (part.at === "start" ? at === 0 : at === text.length) && then(at);
      case "sequence":
        return sequence(part.parts, 0, at, then);
      case "choice":
        return part.arms.some((arm) => match(arm, at, then));
      case "repeat":
        return turn(part, 0, at, then);
      default:
        throw new Error(`not for ${part.kind}`);
    }
  };
  const sequence = (parts: readonly Expression[], index: number, at: number, then: Then): boolean =>
    index === parts.length
      ? then(at)
      : match(parts[index]!, at, (next) => sequence(parts, index + 1, next, then));
  const turn = (repeat: Expression & { kind: "repeat" }, count: number, at: number, then: Then): boolean =>
    (count < repeat.max &&
      match(
        repeat.part,
        at,
        (next) => (next > at || count < repeat.min) && turn(repeat, count + 1, next, then),
      )) ||
    (count >= repeat.min && then(at));

  for (let start = 0; start <= text.length; start++) if (match(expression, start, () => true)) break;
  return steps;
}
