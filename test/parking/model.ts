import { isYes } from "./answers.js";
import type { Program, Step } from "./program.js";

/** What came of the questions of one step: the text of the answers, or the code of what was thrown. */
export type Outcome = { readonly said: string } | { readonly code: string };

/** The outcomes by the key of the step, with the numbers of the loops around it. A question without one has no answer yet. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** The order of effects: names, in a row or at the same time. */
export type Order = string | { readonly row: readonly Order[] } | { readonly beside: readonly Order[] };

/** What a handler kept in its variables. */
export type Seen = readonly (string | Seen)[];

/** How a handler ends. `hung`: it waits for an answer. */
export type End = { readonly seen: Seen } | { readonly thrown: string } | "hung";

export interface Verdict {
  readonly order: Order;
  /** Effects that come at any time, in their own orders. */
  readonly background: readonly Order[];
  readonly end: End;
}

/** Variables of the steps in a row. */
interface Scope {
  readonly seen: (string | Seen)[];
  last: string;
}

type Flow = "on" | "hung" | { readonly thrown: string };

/** Says what a program does with the outcomes of its questions. It knows no server, no rounds and no time. */
export function judge(program: Program, outcomes: Outcomes): Verdict {
  const walk = new Walk(outcomes);
  const scope: Scope = { seen: [], last: "" };
  const row: Order[] = [];
  const flow = walk.all(program, "", scope, row);
  return { order: { row }, background: walk.background, end: flow === "on" ? { seen: scope.seen } : flow };
}

class Walk {
  readonly background: Order[] = [];
  readonly #outcomes: Outcomes;

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes;
  }

  /** @param at the numbers of the loops around the steps */
  all(steps: readonly Step[], at: string, scope: Scope, row: Order[]): Flow {
    for (const step of steps) {
      const flow = this.#one(step, at, scope, row);
      if (flow !== "on") return flow;
    }
    return "on";
  }

  #one(step: Step, at: string, scope: Scope, row: Order[]): Flow {
    switch (step.do) {
      case "effect":
        row.push(step.name + at);
        return "on";
      case "progress":
      case "pause":
        return "on";
      case "background": {
        const own: Order[] = [];
        this.all(step.steps, at, { seen: [], last: "" }, own);
        this.background.push({ row: own });
        return "on";
      }
      case "ask":
      case "all":
        return this.#asked(step.key + at, scope);
      case "meanwhile": {
        const flow = this.all(step.steps, at, scope, row);
        return flow === "on" && step.isJoined ? this.#asked(step.key + at, scope) : flow;
      }
      case "loop":
        for (let turn = 0; turn < step.times; turn++) {
          const flow = this.all(step.steps, `${at}.${turn}`, scope, row);
          if (flow !== "on") return flow;
          if (step.stops && isYes(scope.last)) break;
        }
        return "on";
      case "branch":
        return this.all(isYes(scope.last) ? step.yes : step.no, at, scope, row);
      case "throw":
        return { thrown: step.text + at };
      case "try":
        return this.#tried(step, at, scope, row);
      case "once": {
        const inner: Scope = { seen: [], last: "" };
        const flow = this.all(step.steps, at, inner, row);
        if (flow === "on") scope.seen.push(inner.seen);
        return flow;
      }
      case "fork":
        return this.#forked(step, at, scope, row);
    }
  }

  #asked(point: string, scope: Scope): Flow {
    const outcome = this.#outcomes.get(point);
    if (!outcome) return "hung";
    if ("code" in outcome) return { thrown: outcome.code };
    scope.last = outcome.said;
    scope.seen.push(outcome.said);
    return "on";
  }

  #tried(step: Extract<Step, { do: "try" }>, at: string, scope: Scope, row: Order[]): Flow {
    let flow = this.all(step.steps, at, scope, row);
    if (step.caught && flow !== "on" && flow !== "hung") {
      scope.seen.push(`caught ${flow.thrown}`);
      flow = this.all(step.caught, at, scope, row);
    }
    if (!step.last || flow === "hung") return flow;
    const last = this.all(step.last, at, scope, row);
    return last === "on" ? flow : last;
  }

  #forked(step: Extract<Step, { do: "fork" }>, at: string, scope: Scope, row: Order[]): Flow {
    const branches = step.branches.map((steps) => {
      const inner: Scope = { seen: [], last: scope.last };
      const order: Order[] = [];
      return { flow: this.all(steps, at, inner, order), seen: inner.seen, order };
    });
    row.push({ beside: branches.map(({ order }) => ({ row: order })) });
    if (branches.some(({ flow }) => flow === "hung")) return "hung";
    const thrown = branches.find(({ flow }) => flow !== "on")?.flow;
    if (step.isStrict && thrown) return thrown;
    for (const { flow, seen } of branches)
      scope.seen.push(typeof flow === "object" ? `failed ${flow.thrown}` : seen);
    return "on";
  }
}

export function* namesOf(order: Order): Generator<string> {
  if (typeof order === "string") yield order;
  else for (const inner of "row" in order ? order.row : order.beside) yield* namesOf(inner);
}

/** Whether effects came in an order, each once and all of them. */
export function isInOrder(order: Order, effects: readonly string[]): boolean {
  if (typeof order === "string") return effects.length === 1 && effects[0] === order;
  const parts = ("row" in order ? order.row : order.beside).map((part) => {
    const names = new Set(namesOf(part));
    return { part, own: effects.filter((name) => names.has(name)) };
  });
  const whole = parts.flatMap(({ own }) => own);
  const isWhole =
    "row" in order
      ? whole.length === effects.length && whole.every((name, index) => name === effects[index])
      : whole.length === effects.length;
  return isWhole && parts.every(({ part, own }) => isInOrder(part, own));
}

/** An order without some of its effects. */
export function without(order: Order, names: ReadonlySet<string>): Order {
  if (typeof order === "string") return names.has(order) ? { row: [] } : order;
  if ("row" in order) return { row: order.row.map((part) => without(part, names)) };
  return { beside: order.beside.map((part) => without(part, names)) };
}
