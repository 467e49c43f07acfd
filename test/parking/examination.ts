import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Members, Wired } from "../support/sent-messages.js";
import { Conversation, Fault, type Course } from "./conversation.js";
import { type Journal, type Run, nextTurn } from "./journal.js";
import { type End, type Outcomes, isInOrder, judge, namesOf, without } from "./model.js";
import { type Ending, type Plan, plans } from "./plan.js";
import { type Program, hidesAsks, programs } from "./program.js";
import { type Setting, Site, modes, paramsOf, settings } from "./site.js";

/** A program, where it is served, and what its client does. */
export interface Case {
  readonly program: Program;
  readonly setting: Omit<Setting, "era">;
  readonly plan: Plan;
}

export const casesOn = (wire: fc.Arbitrary<Setting["wire"]>): fc.Arbitrary<Case> =>
  fc.record({ program: programs, setting: settings(wire), plan: plans });

/** Runs a program in a session and at 2026-07-28. Both must do what the model says. @throws {Fault} */
export async function examine({ program, setting, plan }: Case): Promise<Course> {
  const result = await inSession(program, setting);
  return inRounds(program, setting, plan, result);
}

/** Runs a program in a session, where nothing disturbs it. Resolves with its result. */
async function inSession(program: Program, setting: Case["setting"]): Promise<string> {
  const site = new Site(program, { ...setting, era: "legacy" });
  await site.start();
  const line = await site.line();
  const last = await line.request(setting.kind, paramsOf(setting.kind)).answer;
  await site.journal.atRest();
  const run = site.journal.runs[0]!;
  checkRun(program, run, []);
  checkResult(run, last);
  checkReports(site, run);
  await end(site);
  return textOf(last);
}

async function inRounds(
  program: Program,
  setting: Case["setting"],
  plan: Plan,
  inSession: string,
): Promise<Course> {
  const { does } = modes[setting.mode];
  const site = new Site(program, { ...setting, era: "modern" });
  await site.start();
  const course = await new Conversation(site, plan).hold();
  const { last, ending } = course;
  const { journal } = site;
  await journal.atRest();
  const run = journal.runs.at(-1)!;
  if (last) checkResult(run, last);
  const bare = plan.rounds.some(({ manner }) => manner === "bare") ? ["missing-capability"] : [];
  const isHidden = does === "runs again" && hidesAsks(program);
  if (does === "runs again") {
    if (last && !isHidden) checkLastRun(program, journal, bare);
  } else {
    const refused = does === "refuses" ? ["invalid-definition"] : [];
    checkRun(program, run, [...refused, ...bare, ...(ending ? codes[ending] : [])]);
    if (last) checkReports(site, run);
    checkEvents(site, course);
  }
  const isSame = [...run.outcomes.values()].every((outcome) => "said" in outcome);
  if (last && isSame && !isHidden && !course.isRaced && textOf(last) !== inSession)
    throw new Fault(`the result is ${textOf(last)}, in a session ${inSession}`);
  await end(site);
  if (does !== "runs again") checkOnce(journal);
  return course;
}

/** What asks reject with when a conversation ends early. */
const codes: { readonly [how in Ending]: readonly string[] } = {
  gone: ["cancelled", "connection-closed"],
  "hung up": ["connection-closed"],
  killed: [],
  closed: ["connection-closed"],
  expired: ["ask-expired"],
};

/** Why calls that wait are lost, by the end of a conversation. */
const causes: { readonly [how in Ending]?: string } = {
  gone: "cancelled",
  "hung up": "cancelled",
  closed: "cancelled",
  expired: "expired",
};

/** Each round and each loss is reported. */
function checkEvents({ events }: Site, { ending, rounds }: Course): void {
  const parked = events.flatMap((event) => (event.type === "call-parked" ? [event.round] : []));
  const lost = events.flatMap((event) => (event.type === "call-lost" ? [event.cause] : []));
  const cause = ending && rounds > 0 ? causes[ending] : undefined;
  const expected = [
    Array.from({ length: rounds }, (_, index) => index + 1),
    cause === undefined ? [] : [cause],
  ];
  if (!isDeepStrictEqual([parked, lost], expected))
    throw new Fault(`reported were ${JSON.stringify([parked, lost])}, expected ${JSON.stringify(expected)}`);
}

function checkOnce({ runs, effects }: Journal): void {
  if (runs.length > 1) throw new Fault(`the handler ran ${runs.length} times`);
  const twice = effects.filter((name, index) => effects.indexOf(name) !== index);
  if (twice.length > 0) throw new Fault(`twice: ${twice.join()}`);
}

/** @param allowed codes of rejected asks */
function checkRun(program: Program, run: Run, allowed: readonly string[]): void {
  checkCodes(run, allowed);
  const { order: row, background, end } = judge(program, run.outcomes);
  const order = { beside: [row, ...background] };
  const effects = run.effects.map(({ name }) => name);
  if (!isInOrder(order, effects))
    throw new Fault(`the effects are ${effects.join()}, expected ${JSON.stringify(order)}`);
  checkEnd(run, end);
}

function checkCodes({ outcomes, limited }: Run, allowed: readonly string[]): void {
  for (const [point, outcome] of outcomes) {
    if ("said" in outcome || allowed.includes(outcome.code)) continue;
    if (outcome.code !== "timeout" || !limited.has(point))
      throw new Fault(`${point} rejects with ${outcome.code}`);
  }
}

function checkEnd(run: Run, expected: End): void {
  if (!isDeepStrictEqual(run.end, expected))
    throw new Fault(`the handler ends with ${JSON.stringify(run.end)}, expected ${JSON.stringify(expected)}`);
}

/** The last run of a handler that runs again: all that is in no `once` happens as in a session. */
function checkLastRun(program: Program, { runs }: Journal, allowed: readonly string[]): void {
  const run = runs.at(-1)!;
  checkCodes(run, allowed);
  // An ask in a `once` that is done is not asked again.
  const said = runs.flatMap(({ outcomes }) => [...outcomes].filter(([, outcome]) => "said" in outcome));
  const outcomes: Outcomes = new Map([...said, ...run.outcomes]);
  const { order, background, end } = judge(program, outcomes);
  const inside = runs.flatMap(({ effects }) => effects.filter((effect) => effect.inside !== undefined));
  // What goes on in the background stops at a `once` when the request is over.
  const late = background.flatMap((each) => [...namesOf(each)]);
  const guarded = new Set([...inside.map(({ name }) => name), ...late]);
  const effects = run.effects.map(({ name }) => name).filter((name) => !guarded.has(name));
  if (!isInOrder(without(order, guarded), effects))
    throw new Fault(`in the last run the effects are ${effects.join()}, expected ${JSON.stringify(order)}`);
  checkEnd(run, end);
}

/** Progress comes once, and in order. */
function checkReports({ reports }: { readonly reports: readonly number[] }, run: Run): void {
  const expected = Array.from({ length: run.reports }, (_, index) => index + 1);
  if (reports.join() !== expected.join())
    throw new Fault(`progress came as ${reports.join()}, expected ${expected.join()}`);
}

/** What a client reads in a response. */
function textOf({ result, error }: Wired): string {
  if (error) return `error ${error.code} ${error.message}`;
  const { content, messages, contents, isError = false } = result!;
  const [first] = (content ?? messages ?? contents) as readonly Members[];
  const text = (first!["content"] ?? first!)["text"] as string;
  return isError === true ? `failed ${text}` : text;
}

function checkResult({ end, error }: Run, last: Wired): void {
  const text = textOf(last);
  const isRight =
    typeof end === "object" && ("seen" in end ? text === JSON.stringify(end.seen) : text.endsWith(error));
  if (!isRight)
    throw new Fault(`the client got ${text}, the handler ended with ${JSON.stringify(end)} ${error}`);
}

/** Ends all processes. Nothing may be left. */
async function end(site: Site): Promise<void> {
  const left = await site.end();
  await nextTurn();
  const faults = [...left, ...site.faults, ...site.journal.faults];
  if (faults.length > 0) throw new Fault(faults.join("\n"));
}
