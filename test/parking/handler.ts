import { isYes, type Form } from "./answers.js";
import type { Seen } from "./model.js";
import type { Program, Step } from "./program.js";

/** What a handler does to the world. Keys and names have the numbers of the loops around them. */
export interface World {
  /** @param inside the key of the `once` around it */
  effect(name: string, inside: string | undefined): void;
  progress(): void;
  /** @param isAwaited whether the request is open until it ends */
  pause(isLong: boolean, isAwaited: boolean): Promise<void>;
  /** Asks, without a look at the answer. */
  ask(key: string, form: Form, timeout?: number): Promise<unknown>;
  /** The answers to several questions at a time. */
  all(key: string, forms: readonly Form[], isOneCall: boolean): Promise<unknown>;
  /** Waits for what was asked. Resolves with its text. */
  said(point: string, asked: Promise<unknown>): Promise<string>;
  once(key: string, effect: () => Promise<Seen>): Promise<Seen>;
}

interface Scope {
  readonly seen: (string | Seen)[];
  last: string;
}

/** Where the steps stand: the numbers of the loops, the key of the `once` around them, and whether something waits for them. */
interface Place {
  readonly at: string;
  readonly inside?: string;
  readonly isAwaited: boolean;
}

/** Runs a program as a handler that its author wrote by hand would. Resolves with what it kept in its variables. */
export async function perform(program: Program, world: World): Promise<Seen> {
  const scope: Scope = { seen: [], last: "" };
  await steps(program, { at: "", isAwaited: true }, scope, world);
  return scope.seen;
}

async function steps(all: readonly Step[], place: Place, scope: Scope, world: World): Promise<void> {
  for (const step of all) await run(step, place, scope, world);
}

async function run(step: Step, place: Place, scope: Scope, world: World): Promise<void> {
  const { at, inside } = place;
  const heard = async (point: string, asked: Promise<unknown>): Promise<void> => {
    scope.last = await world.said(point, asked);
    scope.seen.push(scope.last);
  };
  switch (step.do) {
    case "effect":
      return world.effect(step.name + at, inside);
    case "progress":
      return world.progress();
    case "pause":
      return world.pause(step.isLong, place.isAwaited);
    case "ask":
      return heard(step.key + at, world.ask(step.key + at, step.form, step.timeout));
    case "all":
      return heard(step.key + at, world.all(step.key + at, step.forms, step.isOneCall));
    case "meanwhile": {
      const asked = world.ask(step.key + at, step.form);
      await steps(step.steps, place, scope, world);
      return step.isJoined ? heard(step.key + at, asked) : undefined;
    }
    case "loop":
      for (let turn = 0; turn < step.times; turn++) {
        await steps(step.steps, { ...place, at: `${at}.${turn}` }, scope, world);
        if (step.stops && isYes(scope.last)) return;
      }
      return;
    case "branch":
      return steps(isYes(scope.last) ? step.yes : step.no, place, scope, world);
    case "throw":
      throw new Error(step.text + at);
    case "try":
      try {
        await steps(step.steps, place, scope, world);
      } catch (error) {
        if (!step.caught) throw error;
        scope.seen.push(`caught ${nameOf(error)}`);
        await steps(step.caught, place, scope, world);
      } finally {
        if (step.last) await steps(step.last, place, scope, world);
      }
      return;
    case "once": {
      const key = step.key + at;
      const seen = await world.once(key, async () => {
        const inner: Scope = { seen: [], last: "" };
        await steps(step.steps, { ...place, inside: key }, inner, world);
        return inner.seen;
      });
      return void scope.seen.push(seen);
    }
    case "background":
      // A `once` in it may be refused, as the request is over.
      steps(step.steps, { ...place, isAwaited: false }, { seen: [], last: "" }, world).catch(() => {});
      return;
    case "fork":
      return fork(step, place, scope, world);
  }
}

async function fork(
  { branches, isStrict }: Extract<Step, { do: "fork" }>,
  place: Place,
  scope: Scope,
  world: World,
): Promise<void> {
  const running = branches.map(async (each) => {
    const inner: Scope = { seen: [], last: scope.last };
    await steps(each, place, inner, world);
    return inner.seen;
  });
  const ended = await Promise.allSettled(running);
  if (isStrict) for (const end of ended) if (end.status === "rejected") throw end.reason;
  for (const end of ended)
    scope.seen.push(end.status === "fulfilled" ? end.value : `failed ${nameOf(end.reason)}`);
}

/** The code of what was thrown, or its text. */
export function nameOf(thrown: unknown): string {
  const { code, message } = thrown as { readonly code?: string; readonly message: string };
  return code ?? message;
}
