import { type Plan, activePlans, plansOf } from "../../targets/typescript/steps/plan.js";
import { type MethodSteps, type Way, planSteps } from "../../targets/typescript/steps/methods.js";
import type { Report } from "../../diff/report/report.js";
import { subjectText } from "../../diff/finding.js";
import type { Alternative, HeaderRule, ProtocolModel } from "../../model/model.js";
import { firstLines } from "../../print/terminal-text.js";
import type { Point } from "./guide.js";

/**
 * Advice for a gateway between peers of the two revisions. A gateway is a server to one side and a client to
 * the other, and passes on messages that it did not create.
 */
export function gatewayPoints(before: ProtocolModel, now: ProtocolModel, report: Report): Point[] {
  return [
    ...travelling(before, now),
    ...methodChanges(before, now),
    ...alternativeChanges(before, now),
    ...headerPoints(before, now),
    ...errorPoints(before, now),
    ...ownedPoints(before, now),
    ...letThrough(report),
  ];
}

/** Methods whose messages pass unchanged, and methods that conversion steps translate. */
function travelling(before: ProtocolModel, now: ProtocolModel): Point[] {
  const { lower, lift } = planSteps(before, now);
  const [down, up] = [changedIn(lower), changedIn(lift)];
  const names = [...new Set(lower.methods.map(({ method }) => method))];
  const parts = (name: string): string[] => [
    ...partsOf(name, down, `to ${before.revision}`),
    ...partsOf(name, up, `to ${now.revision}`),
  ];
  const translated = names.filter((name) => parts(name).length > 0);
  const unchanged = names.filter((name) => parts(name).length === 0);
  return [
    ...point(
      "Pass on as they are",
      unchanged,
      "Neither params nor results differ between the two revisions.",
    ),
    ...point(
      "Translate between the revisions",
      translated,
      "The steps of steps.ts do it (`lift` and `lower`); a loss is an event `loss` (`onEvent`), and a refusal is the answer to the request.",
      translated.flatMap((name) => parts(name).map((part) => `${name}: ${part}`)),
    ),
  ];
}

interface Changed {
  readonly params: ReadonlyMap<string, Plan>;
  readonly result: ReadonlyMap<string, Plan>;
}

function changedIn({ methods }: Way): Changed {
  const plans = (part: "params" | "result"): [string, Plan][] =>
    methods.flatMap((steps: MethodSteps): [string, Plan][] => {
      const plan = steps[part];
      return plan ? [[steps.method, plan]] : [];
    });
  const [params, result] = [plans("params"), plans("result")];
  const active = activePlans([...params, ...result].map(([, plan]) => plan));
  const isActive = ([, plan]: readonly [string, Plan]): boolean => active.has(plan);
  return { params: new Map(params.filter(isActive)), result: new Map(result.filter(isActive)) };
}

/** Describes what changes in a method's messages in one direction, and what may be lost. */
function partsOf(method: string, changed: Changed, way: string): string[] {
  return (["params", "result"] as const).flatMap((part) => {
    const plan = changed[part].get(method);
    if (!plan) return [];
    const losses = [...new Set(lossesOf(plan))];
    return [`${part} ${way}${losses.length > 0 ? ` (${losses.join("; ")})` : ""}`];
  });
}

/** All parts of values that a plan drops, replaces or refuses. */
function lossesOf(plan: Plan): string[] {
  const all = new Set([plan]);
  // Iterating over a Set includes elements added during the loop.
  for (const each of all) for (const inside of plansOf(each)) all.add(inside);
  return [...all].flatMap(({ exits }) =>
    exits.flatMap(({ outcome }) => {
      switch (outcome.how) {
        case "drop":
          return [`${outcome.what} is left out`];
        case "text":
          return [`${outcome.what} becomes text`];
        case "fill":
          return [`${outcome.what} gets another value`];
        case "refuse":
          return [`refused: ${outcome.code}`];
        default:
          return [];
      }
    }),
  );
}

/** Methods that only one of the revisions has, by sender. */
function methodChanges(before: ProtocolModel, now: ProtocolModel): Point[] {
  const advice = ({ revision }: ProtocolModel): string =>
    `A peer of ${revision} has no such method: do not declare its capability to the other side, answer a request with -32601, and drop a notification.`;
  return newAndGone("Methods", [methodTexts(before), methodTexts(now)], advice(before), advice(now));
}

function methodTexts({ methods }: ProtocolModel): Texts {
  const texts = methods.flatMap(({ name, kind, senders, payload }) =>
    senders.map((sender): [string, string] => [
      `${name} ${sender}`,
      `${name} (${kind} of the ${sender}${payload ? ", inside results" : ""})`,
    ]),
  );
  return new Map(texts);
}

/** Alternative results that only one of the revisions has. */
function alternativeChanges(before: ProtocolModel, now: ProtocolModel): Point[] {
  const advice = ({ revision }: ProtocolModel): string => `A client of ${revision} does not know them.`;
  return newAndGone(
    "Alternative results",
    [alternativeTexts(before), alternativeTexts(now)],
    `Recognise them by their mark before the plain result is read. ${advice(before)}`,
    advice(now),
  );
}

function alternativeTexts({ methods }: ProtocolModel): Texts {
  const texts = methods.flatMap(({ name, result }) =>
    (result?.alternatives ?? []).map((each): [string, string] => [
      `${name}: ${each.definition}`,
      alternativeText(name, each),
    ]),
  );
  return new Map(texts);
}

function alternativeText(method: string, { definition, discriminator, capability }: Alternative): string {
  const { key, value } = discriminator ?? {};
  const mark = key === undefined ? "" : ` (${key}${value === undefined ? "" : `: ${value}`})`;
  return `${method}: ${definition}${mark}${capability === undefined ? "" : ` with ${capability}`}`;
}

function headerPoints(before: ProtocolModel, now: ProtocolModel): Point[] {
  const texts = ({ headers }: ProtocolModel): Texts =>
    new Map(headers.map((rule) => [headerText(rule), headerText(rule)]));
  const repeating = now.headers.filter(({ from }) => from !== null).map(headerText);
  const rule =
    "A server compares it with the body: write the header again whenever the part that it repeats changes.";
  return [
    ...newAndGone("Headers", [texts(before), texts(now)], rule, `${now.revision} has no such header.`),
    ...point("Headers that repeat a part of a message", repeating, rule),
  ];
}

function headerText({ header, method, from }: HeaderRule): string {
  const of = method === "*" ? "every request" : method;
  return `${header}: ${from ?? "the revision, once it is negotiated"} of ${of}`;
}

/** Errors whose number differs: a gateway must use the number of the receiving side's revision. */
function errorPoints(before: ProtocolModel, now: ProtocolModel): Point[] {
  const texts = ({ errors }: ProtocolModel): Texts =>
    new Map(errors.map(({ name, code }) => [name, `${code} ${name}`]));
  const earlier = new Map(before.errors.map(({ name, code }) => [name, code]));
  const moved = now.errors.flatMap(({ name, code }) => {
    const old = earlier.get(name);
    return old === undefined || old === code ? [] : [`${name}: ${old} → ${code}`];
  });
  const advice = ({ revision }: ProtocolModel): string =>
    `A peer of ${revision} reads them as unknown errors.`;
  return [
    ...point("Errors with other numbers", moved, "Translate the number, and keep message and data."),
    ...newAndGone("Errors", [texts(before), texts(now)], advice(before), advice(now)),
  ];
}

/** Members that each side of a connection fills in itself; a gateway must not pass them on. */
function ownedPoints(before: ProtocolModel, now: ProtocolModel): Point[] {
  const holders = new Map<string, string[]>();
  for (const [definition, names] of now.owned)
    for (const name of names) holders.set(name, [...(holders.get(name) ?? []), definition]);
  // Show the definition with the shortest name, which is usually the base of the others.
  const shown = [...holders].map(([name, definitions]) => {
    const [base] = [...definitions].sort((a, b) => a.length - b.length);
    return `${base}.${name}`;
  });
  const era =
    before.era === now.era
      ? ""
      : ` The era is another one (${before.era} → ${now.era}): a gateway ends the sessions and handshakes of one side itself.`;
  return point(
    "Fill in again for each side",
    shown,
    `These members belong to one connection: do not pass on what came from the other side.${era}`,
  );
}

/** New values and members that a peer of the old revision ignores. */
function letThrough({ findings }: Report): Point[] {
  const rules = /^(?:enum-value-added|union-member-added|property-added-optional)$/;
  const subjects = findings.filter(({ rule }) => rules.test(rule)).map(({ subject }) => subjectText(subject));
  return point(
    "Let through unread",
    [...new Set(subjects)],
    "Open readers take members and values that they do not know. Pass them on as they came, and write nothing in their place.",
  );
}

/** Texts of a revision's parts, by a key that says which parts of two revisions are the same. */
type Texts = ReadonlyMap<string, string>;

/**
 * The parts that only one of two revisions has.
 *
 * @param what the kind of parts, at the beginning of a sentence
 */
function newAndGone(
  what: string,
  [old, next]: readonly [Texts, Texts],
  ifNew: string,
  ifGone: string,
): Point[] {
  const only = (these: Texts, those: Texts): string[] =>
    [...these].flatMap(([key, text]) => (those.has(key) ? [] : [text]));
  return [
    ...point(`${what} that are new`, only(next, old), ifNew),
    ...point(`${what} that are gone`, only(old, next), ifGone),
  ];
}

/** Maximum number of subjects shown; `diff` lists all. */
const mostSubjects = 24;

function point(
  lead: string,
  subjects: readonly string[],
  text: string,
  details: readonly string[] = [],
): Point[] {
  if (subjects.length === 0) return [];
  const shown = firstLines(subjects, mostSubjects);
  return [{ lead: `${lead} (${subjects.length})`, subjects: shown, text, details }];
}
