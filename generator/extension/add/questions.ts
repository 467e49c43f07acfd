import {
  type JsonObject,
  type SchemaNode,
  descendants,
  naturalCompare,
  reachable,
  referencesOf,
  tagOf,
} from "@mcpgen/engine";
import { onChannelAlone } from "../../model/extension-model.js";
import type { Method, ProtocolModel } from "../../model/model.js";
import { type Note, type NoteKind, answersNamed } from "../../notes/note.js";
import { joinedName, ownName } from "../canonical/references.js";
import type { OwnModel } from "./own-model.js";

/** A fact that a schema cannot state, so the author must. */
export interface Question {
  /** The kind of note that answers it, or `settings` for a member of extension.json. */
  readonly kind: NoteKind | "settings";
  /** The methods, definitions or places concerned. */
  readonly subjects: readonly string[];
  readonly text: string;
  /** The note to write; `…` stands for the missing fact. */
  readonly answer: JsonObject;
}

/** The inputs of `openQuestions`. */
export interface Asked {
  readonly own: OwnModel;
  readonly base: ProtocolModel;
  readonly notes: readonly Note[];
  /** Names of the definitions that all bases have. */
  readonly shared: ReadonlySet<string>;
  /** Names of the settings definitions in extension.json. */
  readonly settings: readonly string[];
}

/**
 * Questions about facts that neither the schema nor the notes state, in a fixed order. None of these facts is
 * guessed.
 */
export function openQuestions(asked: Asked): Question[] {
  const between = betweenSides(asked);
  return [
    ...senders(between),
    ...pairings(asked),
    ...gates(between),
    ...headers(between),
    ...filters(between),
    ...unreached(asked),
    ...carried(asked),
    ...growing(asked),
    ...resembling(asked),
  ];
}

/** Excludes methods that are only sent on a channel: they need no capability and are not sent over HTTP. */
function betweenSides(asked: Asked): Asked {
  const elsewhere = onChannelAlone(asked.notes);
  const methods = asked.own.methods.filter(({ name }) => !elsewhere.has(name));
  return { ...asked, own: { ...asked.own, methods } };
}

/** The subjects that no note of the given kinds has as target. */
function withoutNote({ notes }: Asked, kinds: readonly NoteKind[], subjects: readonly string[]): string[] {
  const answered = new Set(
    notes.filter(({ kind }) => kinds.includes(kind)).flatMap(({ targets }) => targets),
  );
  return subjects.filter((subject) => !answered.has(subject));
}

function ask(
  kind: Question["kind"],
  subjects: readonly string[],
  text: (subjects: string) => string,
  fields: JsonObject,
): Question[] {
  if (subjects.length === 0) return [];
  const target = subjects.length === 1 ? subjects[0]! : [...subjects];
  const answer = { kind, target, ...fields, reason: "…", link: "…" };
  return [{ kind, subjects, text: text(shown(subjects)), answer }];
}

/** The first subjects, and the number of the others. */
function shown(subjects: readonly string[]): string {
  const most = 6;
  const first = subjects.slice(0, most).join(", ");
  return subjects.length > most ? `${first} and ${subjects.length - most} more` : first;
}

function namesOf(methods: readonly Method[]): string[] {
  return methods.map(({ name }) => name);
}

function assumedOf({ own }: Asked, kind: string): Set<string> {
  return new Set(own.assumptions.filter((one) => one.kind === kind).map(({ subject }) => subject));
}

function senders(asked: Asked): Question[] {
  const assumed = assumedOf(asked, "sender");
  const unknown = asked.own.methods.filter(({ name }) => assumed.has(name));
  return (["request", "notification"] as const).flatMap((kind) => {
    const methods = namesOf(unknown.filter((method) => method.kind === kind));
    return ask(
      "sender",
      withoutNote(asked, ["sender"], methods),
      (subjects) => `Which side sends ${subjects}?`,
      { sender: "client | server | both" },
    );
  });
}

function pairings(asked: Asked): Question[] {
  const assumed = assumedOf(asked, "pairing");
  const requests = namesOf(
    asked.own.methods.filter(({ kind, name }) => kind === "request" && assumed.has(name)),
  );
  return withoutNote(asked, ["pairing"], requests).flatMap((method) =>
    ask("pairing", [method], (subject) => `Which definition answers ${subject}?`, { result: "…" }),
  );
}

/** A question about capabilities; the answering side must declare the extension in any case. */
function gates(asked: Asked): Question[] {
  const requests = namesOf(asked.own.methods.filter(({ kind }) => kind === "request"));
  return ask(
    "requires",
    withoutNote(asked, ["requires", "capability"], requests),
    (subjects) =>
      `Must the side that sends ${subjects} have declared the extension, too, or the other side a part of its settings?`,
    { of: "client | server" },
  );
}

/**
 * A question about HTTP headers: if requests of the base repeat a param in a header, those of the extension
 * may, too.
 */
function headers(asked: Asked): Question[] {
  const { base, own, notes } = asked;
  const names = base.headers
    .filter(({ method, from }) => method !== "*" && from !== null)
    .map(({ header }) => header);
  return [...new Set(names)].sort(naturalCompare).flatMap((header) => {
    const answered = new Set(
      notes.flatMap((note) => (note.kind === "header" && note.header === header ? note.targets : [])),
    );
    const requests = own.methods.filter(
      ({ kind, params, name }) => kind === "request" && params.presence !== "none" && !answered.has(name),
    );
    return ask(
      "header",
      namesOf(requests),
      (subjects) => `Which param of ${subjects} does the header ${header} repeat, if any?`,
      { header, from: "/params/…" },
    );
  });
}

function filters(asked: Asked): Question[] {
  const { base, own } = asked;
  if (!base.methods.some(({ listening }) => listening)) return [];
  const notifications = namesOf(own.methods.filter(({ kind }) => kind === "notification"));
  return ask(
    "subscription",
    withoutNote(asked, ["subscription"], notifications),
    (subjects) =>
      `Which member of the filter of a subscription selects ${subjects}, if any? Without one, a client of ${base.revision} gets it during its own requests alone: context.notify.`,
    { filter: "/$defs/…/properties/…" },
  );
}

/**
 * Questions about definitions that no message uses: a result of a base method, a member of base objects, or
 * settings.
 */
function unreached({ own, notes, settings }: Asked): Question[] {
  const named = notes.flatMap((note) => {
    if (note.kind === "augments") return [note.result];
    if (note.kind === "member") return [note.definition];
    if (note.kind === "pairing") return answersNamed(note);
    return note.kind === "subscription" ? [note.filter.split("/")[2] ?? ""] : [];
  });
  const roots = [
    ...own.methods.flatMap(({ message, result }) => [message, result?.definition ?? ""]),
    ...named,
    ...settings,
  ].map(joinedName);
  const reached = new Set(
    reachable(
      own.schema,
      roots.filter((name) => own.schema.definitions.has(name)),
    ),
  );
  const left = [...own.schema.definitions.keys()].filter(
    (name) => ownName(name) !== undefined && !reached.has(name),
  );
  return usesOf(topsOf(own, left.sort(naturalCompare)).map((name) => ownName(name)!));
}

/** The definitions to which no other refers; of a cycle, the first. */
function topsOf({ schema }: OwnModel, names: readonly string[]): string[] {
  const referred = new Set(
    names.flatMap((name) =>
      [...referencesOf(schema.definitions.get(name)!.node)].filter((target) => target !== name),
    ),
  );
  const tops = names.filter((name) => !referred.has(name));
  const covered = new Set(reachable(schema, tops));
  for (const name of names) {
    if (covered.has(name)) continue;
    tops.push(name);
    for (const part of reachable(schema, [name])) covered.add(part);
  }
  return tops.sort(naturalCompare);
}

/** One question for each definition whose name suggests its use, and one for all others. */
function usesOf(names: readonly string[]): Question[] {
  const known = names.flatMap((name) => useOf(name));
  const others = names.filter((name) => useOf(name).length === 0);
  if (others.length === 0) return known;
  const text = `Of which objects of the base are ${shown(others)} members, and under which names? No message leads there.`;
  const answer = {
    ...{ kind: "member", target: "base#/$defs/…", member: "/…" },
    ...{ definition: others.length === 1 ? others[0]! : "…", reason: "…", link: "…" },
  };
  return [...known, { kind: "member", subjects: others, text, answer }];
}

function useOf(name: string): Question[] {
  if (name.endsWith("Result"))
    return [
      {
        kind: "augments",
        subjects: [name],
        text: `Which method of the base may be answered with ${name}?`,
        answer: { kind: "augments", target: "…", result: name, reason: "…", link: "…" },
      },
    ];
  if (/(?:Capabilit(?:y|ies)|Settings)$/.test(name))
    return [
      {
        kind: "settings",
        subjects: [name],
        text: `Which side declares the settings ${name}?`,
        answer: { settings: { "client | server": `#/$defs/${name}` } },
      },
    ];
  return [];
}

/** A question about open objects named `result`, which may contain another method's result. */
function carried(asked: Asked): Question[] {
  const places = ownNodes(asked.own).flatMap(({ at, node }) =>
    at.endsWith("/properties/result") && isAnyObject(node) ? [at] : [],
  );
  return ask(
    "carries",
    withoutNote(asked, ["carries"], places),
    (subjects) => `Does ${subjects} hold what answers another method?`,
    { of: "…" },
  );
}

function isAnyObject({ types, properties, ref }: SchemaNode): boolean {
  return ref === undefined && types?.join() === "object" && (properties?.size ?? 0) === 0;
}

/** A question about string sets and distinguishable unions that a later version may extend. */
function growing(asked: Asked): Question[] {
  const { schema } = asked.own;
  const places = ownNodes(asked.own).flatMap(({ at, node }) => {
    const arms = node.anyOf ?? node.oneOf;
    const isSet = (node.enum?.length ?? 0) > 1 && node.enum!.every((value) => typeof value === "string");
    return isSet || (arms && tagOf(schema, arms)) ? [at] : [];
  });
  return ask(
    "open",
    withoutNote(asked, ["open"], places),
    (subjects) => `May a later version add values to ${subjects}?`,
    {},
  );
}

/**
 * A question about objects with nearly the members of a base definition, which may be copies from another
 * version.
 */
function resembling(asked: Asked): Question[] {
  const { own, shared: known } = asked;
  const ofBase = [...own.schema.definitions.values()].flatMap(({ name, node }) =>
    known.has(name) && node.properties ? [{ name, members: [...node.properties.keys()] }] : [],
  );
  return ownNodes(own).flatMap(({ at, node }) => {
    const members = new Set(node.properties?.keys());
    if (members.size < fewestMembers || withoutNote(asked, ["errata"], [at]).length === 0) return [];
    const near = ofBase
      .map((one) => ({ ...one, shared: one.members.filter((member) => members.has(member)).length }))
      .filter(({ shared }) => shared >= fewestMembers)
      .map(({ name, members: theirs, shared }) => ({
        name,
        likeness: shared / (members.size + theirs.length - shared),
      }))
      .filter(({ likeness }) => likeness >= leastLikeness)
      .sort((a, b) => b.likeness - a.likeness || naturalCompare(a.name, b.name));
    const [best] = near;
    if (!best) return [];
    const becomes = { $ref: `base#/$defs/${best.name}` };
    return ask(
      "errata",
      [at],
      (place) => `Is ${place} a copy of the base's ${best.name}, which differs from it?`,
      {
        becomes,
      },
    );
  });
}

/**
 * Minimum number of members that an object must share with a definition, and minimum share of all members of
 * both.
 */
const [fewestMembers, leastLikeness] = [4, 0.6];

/** All nodes of the extension's definitions, with their pointers in the extension's schema. */
function ownNodes({ schema }: OwnModel): { at: string; node: SchemaNode }[] {
  const prefix = joinedName("");
  return [...schema.definitions.values()]
    .filter(({ name }) => ownName(name) !== undefined)
    .flatMap(({ node }) => [...descendants(node)])
    .map((node) => ({ at: node.pointer.replace(prefix, ""), node }))
    .sort((a, b) => naturalCompare(a.at, b.at));
}
