import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Wired } from "../support/sent-messages.js";
import { answerTo, formOf, keyOf } from "./answers.js";
import { Conversation, Fault, type Plan, type Told, plans } from "./conversation.js";
import { Journal, type Run, nextTurn } from "./journal.js";
import { type End, type Outcomes, isInOrder, judge, without } from "./model.js";
import { type Program, programs } from "./program.js";
import { type Setting, Site, modes, settings } from "./site.js";

/** One case: a program, where it is served, and what its client does. */
export interface Case {
  readonly program: Program;
  readonly setting: Omit<Setting, "era">;
  readonly plan: Plan;
}

export const cases = (wire: fc.Arbitrary<Setting["wire"]>): fc.Arbitrary<Case> =>
  fc.record({ program: programs, setting: settings(wire), plan: plans });

/** What runs of a program tell, to know that cases are not all alike. */
export interface Findings {
  readonly rounds: number;
  readonly ending: Told["ending"];
}

/** Runs a program in a session and at 2026-07-28, and compares both with the model. @throws {Fault} */
export async function examine({ program, setting, plan }: Case): Promise<Findings> {
  const before = await inSession(program, setting);
  return inRounds(program, setting, plan, before);
}

/** The result of a program in a session, without faults. */
async function inSession(program: Program, setting: Case["setting"]): Promise<string> {
  const journal = new Journal(program, false);
  const site = new Site({ ...setting, era: "legacy" }, journal);
  await site.start();
  const line = await site.line();
  const { kind } = setting;
  const last = await line.request(kind, paramsOf(kind)).answer;
  const run = journal.runs[0]!;
  await run.ended;
  checkRun(program, run, "in a session", []);
  checkReports(site, run);
  const text = resultOf(last);
  checkResult(run, last);
  await ended(site);
  return text;
}

export function paramsOf(kind: Setting["kind"], isOther = false) {
  return {
    "tools/call": { name: "run", arguments: isOther ? { other: true } : {} },
    "prompts/get": { name: isOther ? "other" : "run" },
    "resources/read": { uri: isOther ? "run://other" : "run://one" },
  }[kind];
}

async function inRounds(
  program: Program,
  setting: Case["setting"],
  plan: Plan,
  before: string,
): Promise<Findings> {
  const { replay } = modes[setting.mode];
  const journal = new Journal(program, replay);
  const site = new Site({ ...setting, era: "modern" }, journal);
  await site.start();
  const told = await new Conversation(site, plan).hold();
  const run = journal.runs.at(-1)!;
  const isRacing = plan.rounds.some(({ manner }) => manner === "racing");
  const isMute = setting.mode === "neither";
  if (told.last) {
    await run.ended;
    if (isRunningAgain(setting)) checkLastRun(program, run, journal);
    else checkRun(program, run, "at the end", isMute ? ["invalid-definition"] : []);
    checkResult(run, told.last);
    if (!isRacing && !isMute && resultOf(told.last) !== before)
      throw new Fault(`the result is ${resultOf(told.last)}, in a session ${before}`);
    if (!isRunningAgain(setting)) checkReports(site, run);
  } else if (!isRunningAgain(setting)) checkRun(program, run, told.ending!, codes[told.ending!]);
  if (!isRunningAgain(setting)) checkOnce(journal);
  await ended(site);
  if (!isRunningAgain(setting)) checkOnce(journal);
  return told;
}

/** What asks reject with, by the end of a conversation. */
const codes: { readonly [how in NonNullable<Told["ending"]>]: readonly string[] } = {
  gone: ["cancelled"],
  "hung up": ["connection-closed"],
  killed: [],
  closed: ["connection-closed"],
  expired: ["ask-expired"],
};

function isRunningAgain({ mode }: Pick<Setting, "mode">): boolean {
  return mode === "shared" || mode === "again";
}

function checkOnce({ runs, effects }: Journal): void {
  if (runs.length > 1) throw new Fault(`the handler ran ${runs.length} times`);
  const twice = effects.filter((name, index) => effects.indexOf(name) !== index);
  if (twice.length > 0) throw new Fault(`twice: ${twice.join()}`);
}

/** @param allowed codes of rejected asks */
function checkRun(program: Program, run: Run, when: string, allowed: readonly string[]): void {
  checkCodes(run.outcomes, when, allowed);
  const { order, end } = judge(program, run.outcomes);
  const effects = run.effects.map(({ name }) => name);
  if (!isInOrder(order, effects))
    throw new Fault(`${when}: the effects are ${effects.join()}, expected ${JSON.stringify(order)}`);
  checkEnd(run.end, end, when);
}

function checkCodes(outcomes: Outcomes, when: string, allowed: readonly string[]): void {
  for (const [point, outcome] of outcomes)
    if ("code" in outcome && !allowed.includes(outcome.code))
      throw new Fault(`${when}: ${point} rejects with ${outcome.code}`);
}

function checkEnd(found: End, expected: End, when: string): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Fault(`${when}: the handler ends with ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
}

/** The last run of a handler that runs again: what is in no `once` happens as in a session. */
function checkLastRun(program: Program, run: Run, { runs }: Journal): void {
  checkCodes(run.outcomes, "in the last run", []);
  const { order, end } = judge(program, run.outcomes);
  const inside = runs.flatMap(({ effects }) => effects.filter((effect) => effect.inside !== undefined));
  const guarded = new Set(inside.map(({ name }) => name));
  const effects = run.effects.map(({ name }) => name).filter((name) => !guarded.has(name));
  if (!isInOrder(without(order, guarded), effects))
    throw new Fault(`in the last run the effects are ${effects.join()}, expected ${JSON.stringify(order)}`);
  checkEnd(run.end, end, "in the last run");
}

/** Progress is sent once, and in order. */
function checkReports({ reports }: Site, run: Run): void {
  const expected = Array.from({ length: run.reports }, (_, index) => index + 1);
  if (reports.join() !== expected.join())
    throw new Fault(`progress came as ${reports.join()}, expected ${expected.join()}`);
}

/** What a client reads in a response. */
function resultOf({ result, error }: Wired): string {
  if (error) return `error ${error.code} ${error.message}`;
  const { content, messages, contents, isError = false } = result!;
  const text = (content?.[0] ?? messages?.[0].content ?? contents?.[0]).text as string;
  return isError === true ? `failed ${text}` : text;
}

function checkResult({ end, error }: Run, last: Wired): void {
  const text = resultOf(last);
  const isRight = typeof end === "object" && ("seen" in end ? text === JSON.stringify(end.seen) : text.endsWith(error));
  if (!isRight) throw new Fault(`the client got ${text}, the handler ended with ${JSON.stringify(end)} ${error}`);
}

/** Ends all processes. Nothing may be left. */
async function ended(site: Site): Promise<void> {
  const left = await site.end();
  await nextTurn();
  const faults = [...left, ...site.faults, ...site.journal.faults];
  if (faults.length > 0) throw new Fault(faults.join("\n"));
}

void [answerTo, formOf, keyOf];
