import fc from "fast-check";
import { type Form, forms } from "./answers.js";

/**
 * A step of a handler. A tree, not a function: a server runs it, and the model judges it. Names and keys are unique; in a loop,
 * the number of the turn follows them.
 */
export type Step =
  | { readonly do: "effect"; readonly name: string }
  | { readonly do: "progress" }
  /** @property isLong until the next round has gone out, if a question is open */
  | { readonly do: "pause"; readonly isLong: boolean }
  /** @property timeout milliseconds that it waits; without it, as long as the server lets it */
  | {
      readonly do: "ask";
      readonly key: string;
      readonly form: Form;
      readonly timeout: number | undefined;
    }
  /** Several questions at a time, by `ask.all` or as several calls. */
  | { readonly do: "all"; readonly key: string; readonly forms: readonly Form[]; readonly isOneCall: boolean }
  /** A question that is open while other steps run; without `isJoined`, nothing waits for its answer. */
  | {
      readonly do: "meanwhile";
      readonly key: string;
      readonly form: Form;
      readonly steps: readonly Step[];
      readonly isJoined: boolean;
    }
  /** @property stops whether it ends at an answer that is a yes */
  | { readonly do: "loop"; readonly times: number; readonly stops: boolean; readonly steps: readonly Step[] }
  /** Follows the last answer. */
  | { readonly do: "branch"; readonly yes: readonly Step[]; readonly no: readonly Step[] }
  | { readonly do: "throw"; readonly text: string }
  | {
      readonly do: "try";
      readonly steps: readonly Step[];
      readonly caught: readonly Step[] | undefined;
      readonly last: readonly Step[] | undefined;
    }
  | { readonly do: "once"; readonly key: string; readonly steps: readonly Step[] }
  /** Steps for which nothing waits: they may go on when the handler has ended. They ask nothing. */
  | { readonly do: "background"; readonly steps: readonly Step[] }
  /** Branches that run at the same time. @property isStrict whether it throws as its first branch that throws */
  | { readonly do: "fork"; readonly branches: readonly (readonly Step[])[]; readonly isStrict: boolean };

export type Program = readonly Step[];

/** Milliseconds that some questions wait. */
export const shortTimeout = 100_000;

/** The deepest nesting of steps, and the most steps in a row. */
const [maxDepth, maxLength] = [3, 4];

const form = fc.constantFrom(...forms);
const timeout = fc.option(fc.constant(shortTimeout), { nil: undefined, freq: 8 });
const text = fc.constant("");

const { steps } = fc.letrec<{ readonly step: Step; readonly steps: Step[] }>((tie) => {
  const inner = tie("steps");
  /** Half of them begin when their question has gone out. */
  const later = fc
    .tuple(fc.boolean(), inner)
    .map(([isAway, steps]) => (isAway ? [{ do: "pause", isLong: true } as const, ...steps] : steps));
  const maybe = fc.option(inner, { nil: undefined });
  const of = <Name extends Step["do"]>(
    name: Name,
    members: { [Member in Exclude<keyof Extract<Step, { do: Name }>, "do">]: fc.Arbitrary<unknown> },
  ): fc.Arbitrary<Step> => fc.record({ do: fc.constant(name), ...members }) as never;
  const questions = fc.array(form, { minLength: 1, maxLength: 3 });
  const effect = of("effect", { name: text });
  const quiet = fc.oneof(
    effect,
    of("pause", { isLong: fc.constant(false) }),
    of("once", { key: text, steps: fc.array(effect, { minLength: 1, maxLength: 2 }) }),
  );
  const leaf = fc.oneof(
    { weight: 4, arbitrary: effect },
    { weight: 5, arbitrary: of("ask", { key: text, form, timeout }) },
    { weight: 1, arbitrary: of("all", { key: text, forms: questions, isOneCall: fc.boolean() }) },
    { weight: 1, arbitrary: of("progress", {}) },
    { weight: 1, arbitrary: of("pause", { isLong: fc.boolean() }) },
  );
  return {
    step: fc.oneof(
      { depthSize: "small", maxDepth, withCrossShrink: true },
      { weight: 12, arbitrary: leaf },
      { weight: 1, arbitrary: of("throw", { text }) },
      { weight: 2, arbitrary: of("meanwhile", { key: text, form, steps: later, isJoined: fc.boolean() }) },
      {
        weight: 2,
        arbitrary: of("loop", { times: fc.integer({ min: 0, max: 3 }), stops: fc.boolean(), steps: inner }),
      },
      { weight: 2, arbitrary: of("branch", { yes: inner, no: inner }) },
      { weight: 3, arbitrary: of("try", { steps: inner, caught: maybe, last: maybe }) },
      { weight: 3, arbitrary: of("once", { key: text, steps: inner }) },
      {
        weight: 2,
        arbitrary: of("background", { steps: fc.array(quiet, { minLength: 1, maxLength: 4 }) }),
      },
      {
        weight: 2,
        arbitrary: of("fork", {
          branches: fc.array(inner, { minLength: 2, maxLength: 3 }),
          isStrict: fc.boolean(),
        }),
      },
    ),
    steps: fc.array(tie("step"), { maxLength }),
  };
});

/** Random programs. Most of them ask. */
export const programs: fc.Arbitrary<Program> = steps.map((drawn) => {
  let last = 0;
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([member, inner]) => [
      member,
      inner === "" ? `${(value as Step).do}${++last}` : named(inner),
    ]);
    return Object.fromEntries(members) as unknown;
  };
  return named(drawn) as Program;
});

/** The steps inside of a step. */
function innerOf(step: Step): readonly Step[] {
  switch (step.do) {
    case "branch":
      return [...step.yes, ...step.no];
    case "fork":
      return step.branches.flat();
    case "try":
      return [...step.steps, ...(step.caught ?? []), ...(step.last ?? [])];
    default:
      return "steps" in step ? step.steps : [];
  }
}

function holds(steps: readonly Step[], isWanted: (step: Step) => boolean): boolean {
  return steps.some((step) => isWanted(step) || holds(innerOf(step), isWanted));
}

const asks = (step: Step): boolean => step.do === "ask" || step.do === "all" || step.do === "meanwhile";

/** Whether a step goes on where an ask inside of it is rejected. */
function swallows(step: Step): boolean {
  if (step.do === "try") return step.caught !== undefined && holds(step.steps, asks);
  return step.do === "fork" && !step.isStrict && holds(step.branches.flat(), asks);
}

/**
 * Whether a `once` may succeed although an ask inside of it has no answer yet. No handler that runs again may be written like
 * that: its next run gets the result of a run that had no answer.
 */
export function hidesAsks(program: Program): boolean {
  return holds(program, (step) => step.do === "once" && holds(step.steps, swallows));
}
