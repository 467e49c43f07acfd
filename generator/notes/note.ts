import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { basename, dirname } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";

/** The fields of every note. */
interface NoteBase {
  /**
   * The subjects of the note: JSON Pointers into the canonical schema, names of methods, or (errors) codes;
   * the file may give one as a string.
   */
  readonly targets: readonly string[];
  readonly reason: string;
  readonly link: string;
  /** Copied from an older revision and not yet confirmed for this one. */
  readonly carried: boolean;
  /** Of an extension's note: the bases it holds for; all of them without it. */
  readonly bases?: readonly string[];
  /** JSON Pointer of the note in its file. */
  readonly pointer: string;
}

/** The schema is wrong: `becomes` replaces the node, `type` only the printed TypeScript type. */
export interface ErrataNote extends NoteBase {
  readonly kind: "errata";
  readonly becomes?: JsonValue;
  readonly type?: string;
}

/** A definition repeats the members of another, and is open where that one is. */
export interface ExtendsNote extends NoteBase {
  readonly kind: "extends";
  readonly base: string;
}

/** The definition that answers a method, and those that may come in its place. */
export interface PairingNote extends NoteBase {
  readonly kind: "pairing";
  readonly result: string;
  /** A name stands for an alternative without both mark and capability. */
  readonly alternatives?: readonly (string | PairedAlternative)[];
  /** The capability of alternatives that name none themselves. */
  readonly alternativeCapability?: string;
  /** The mark of alternatives that have none themselves. */
  readonly alternativeMark?: PairedAlternative["mark"];
}

/** A definition that may answer a method in place of the plain result. */
export interface PairedAlternative {
  readonly definition: string;
  /** The member, and its value, that distinguishes it from the plain result. */
  readonly mark?: { readonly [member: string]: string };
  /** The capability, of the side that answers, without which it never comes: a JSON Pointer. */
  readonly capability?: string;
}

export interface SenderNote extends NoteBase {
  readonly kind: "sender";
  readonly sender: "client" | "server" | "both";
}

/** The capability that gates a method: a JSON Pointer into what one side declares. */
export interface CapabilityNote extends NoteBase {
  readonly kind: "capability";
  readonly of: "client" | "server";
  readonly capability: string;
  /** Members of the capability that gate a part of the method each. */
  readonly parts?: readonly string[];
}

/**
 * An HTTP header that repeats a part of a message (`from`, a JSON Pointer), or the negotiated revision (`null`)
 * once it is negotiated.
 */
export interface HeaderNote extends NoteBase {
  readonly kind: "header";
  readonly header: string;
  readonly from: string | null;
}

/** Results of the methods carry cache hints. */
interface CacheableNote extends NoteBase {
  readonly kind: "cacheable";
}

/** A notification drops cached results: the targets are notifications. */
export interface InvalidatesNote extends NoteBase {
  readonly kind: "invalidates";
  /** The methods whose cached results it drops, beside those that follow from its capability. */
  readonly methods: readonly string[];
}

/** The lists may leave entries out: how a result says so, what stands in place of an entry, and how one is asked for. */
export interface PartialNote extends NoteBase {
  readonly kind: "partial";
  /** JSON Pointer into the result, of the member that says so. */
  readonly member: string;
  /** The value of the member where entries are left out; without it, any value. */
  readonly means?: boolean | number | string;
  /** JSON Pointer of the definition of items that stand for an entry. */
  readonly item?: string;
  /** The request that is answered with one entry. */
  readonly get?: string;
}

/** The methods may be answered with a request for input. */
interface MultiRoundTripNote extends NoteBase {
  readonly kind: "multiRoundTrip";
}

/** Requests that are answered only when their streams end: what they ask for comes before that, as notifications. */
export interface ListeningNote extends NoteBase {
  readonly kind: "listening";
}

/** A notification that a subscription selects by a member of its filter. */
export interface SubscriptionNote extends NoteBase {
  readonly kind: "subscription";
  /** JSON Pointer of the member: a property of a definition. */
  readonly filter: string;
  /** The param of the notification whose value the list in the filter must hold; absent for a member that is a flag. */
  readonly key?: string;
}

/** What a side must have declared before a method may be used that is sent by it, or to it. */
export interface RequiresNote extends NoteBase {
  readonly kind: "requires";
  readonly of: "client" | "server";
  /** JSON Pointer into the capabilities; in an extension without it, the place where the side declares the extension. */
  readonly capability?: string;
  /** Name of the error that answers otherwise; without it, that of the revision for a missing capability. */
  readonly error?: string;
}

/** A result that an extension adds to a method of its base. */
interface AugmentsNote extends NoteBase {
  readonly kind: "augments";
  /** Name of its definition. */
  readonly result: string;
  /** The member, and its value, that distinguishes it from the plain result. */
  readonly mark?: { readonly [member: string]: string };
}

/** A member that an extension adds to objects of its base: the targets are definitions of the base. */
interface MemberNote extends NoteBase {
  readonly kind: "member";
  /** JSON Pointer of the member within the object. */
  readonly member: string;
  /** Name of the definition of its value. */
  readonly definition: string;
  readonly required?: boolean;
}

/** The targets, places of the schema, hold what answers a method. */
export interface CarriesNote extends NoteBase {
  readonly kind: "carries";
  /** A method of the extension or of its base. */
  readonly of: string;
}

/** A method travels on the channel of an extension: one of the extension, or of its base. */
export interface ChannelNote extends NoteBase {
  readonly kind: "channel";
  /** The role that sends it. */
  readonly sender: string;
  /** The role that it is sent to. */
  readonly receiver: string;
  /** Definition of the message, of a method that neither the extension nor the base defines. */
  readonly message?: string;
  /** Definition of what answers that message. */
  readonly result?: string;
}

/** The targets are facts about HTTP that hold for the revision: see `TransportFact`. */
export interface TransportNote extends NoteBase {
  readonly kind: "transport";
}

/** Properties that the era's protocol machinery fills in; authors never write them. */
export interface OwnedNote extends NoteBase {
  readonly kind: "owned";
}

export interface DeprecatedNote extends NoteBase {
  readonly kind: "deprecated";
  readonly since: string;
  readonly instead?: string;
}

export interface ErrorNote extends NoteBase {
  readonly kind: "error";
  readonly name: string;
  /** HTTP status that goes with it. */
  readonly http?: number;
}

/**
 * Unions and string sets to which later revisions add: a tolerant reader takes what it does not know. Of objects with
 * `additionalProperties: false`: they take members that they do not name.
 */
export interface OpenNote extends NoteBase {
  readonly kind: "open";
}

/**
 * The outcome for a value that has no form at the other revision of a pair: `lower` on the way to the revision before
 * this one, `lift` on the way from there. The target is a place of either schema.
 */
export interface StepNote extends NoteBase {
  readonly kind: "lower" | "lift";
  /** The revision before this one, which the decision was made for. */
  readonly previous: string;
  readonly how: "drop" | "text" | "refuse" | "fill" | "keep" | "lists";
  /** For a refusal: its stable name. */
  readonly code?: string;
  /** The text in place of a value; `{member}` stands for a member of it. */
  readonly text?: string;
  /** The list that takes a member's JSON as text, if it is empty. */
  readonly into?: string;
  /** For a list of objects: the lists of the older revision, by the members of the objects that they hold. */
  readonly members?: { readonly [member: string]: string };
  /** The replacement of a value, or the content of a required member that is absent. */
  readonly value?: JsonValue;
  /** The replacements of single values. */
  readonly cases?: readonly StepCase[];
}

/** Members had another name in the revision before: the targets are their places in this schema. */
export interface RenamedNote extends NoteBase {
  readonly kind: "renamed";
  /** The revision before this one, in which they had the other name. */
  readonly previous: string;
  /** The other name. */
  readonly from: string;
}

/** The members of the targets, definitions of this schema, were inside one member in the revision before. */
export interface WrappedNote extends NoteBase {
  readonly kind: "wrapped";
  /** The revision before this one, in which they were inside. */
  readonly previous: string;
  /** Name of the member that they were inside. */
  readonly in: string;
}

/** Members of the targets, objects of this schema, are made by expressions on the way between this revision and another. */
export interface ReshapedNote extends NoteBase {
  readonly kind: "reshaped";
  /** The revision before this one, which the expressions were written for. */
  readonly previous: string;
  /** Members of this revision, by expressions over an object of the revision before. */
  readonly lift?: JsonObject;
  /** Members of the revision before, by expressions over an object of this one. */
  readonly lower?: JsonObject;
}

/** A value that is no object or array, and what stands in its place. */
export interface StepCase {
  readonly of: JsonValue;
  readonly value: JsonValue;
}

export type Note =
  | ErrataNote
  | ExtendsNote
  | PairingNote
  | SenderNote
  | CapabilityNote
  | HeaderNote
  | CacheableNote
  | InvalidatesNote
  | PartialNote
  | MultiRoundTripNote
  | ListeningNote
  | SubscriptionNote
  | TransportNote
  | OwnedNote
  | DeprecatedNote
  | ErrorNote
  | OpenNote
  | RequiresNote
  | AugmentsNote
  | MemberNote
  | CarriesNote
  | ChannelNote
  | RenamedNote
  | WrappedNote
  | ReshapedNote
  | StepNote;

export type NoteKind = Note["kind"];

/** The alternatives that a note names, each with its mark and capability; `undefined` if it names none. */
export function alternativesOf({
  alternatives,
  alternativeMark,
  alternativeCapability,
}: PairingNote): readonly PairedAlternative[] | undefined {
  return alternatives?.map((each) => ({
    ...(alternativeMark && { mark: alternativeMark }),
    ...(alternativeCapability !== undefined && { capability: alternativeCapability }),
    ...(typeof each === "string" ? { definition: each } : each),
  }));
}

/** The definitions that a note names: the plain result first. */
export function answersNamed(note: PairingNote): string[] {
  return [note.result, ...(alternativesOf(note) ?? []).map(({ definition }) => definition)];
}

/** The note with its definitions under other names. */
export function withNames(note: PairingNote, nameOf: (definition: string) => string): PairingNote {
  const { alternatives, result } = note;
  return {
    ...note,
    result: nameOf(result),
    ...(alternatives && {
      alternatives: alternatives.map((each) =>
        typeof each === "string" ? nameOf(each) : { ...each, definition: nameOf(each.definition) },
      ),
    }),
  };
}

/** A note that says otherwise than the schema. It holds, because it may correct the schema; and it is reported. */
export interface NoteConflict {
  readonly note: Note;
  readonly target: string;
  readonly message: string;
  /** The fields of a note on the target that agrees with the schema; absent if a person has to find them. */
  readonly fields?: JsonObject;
  /** A person has to fill in a part of those fields. */
  readonly isUnfinished?: true;
}

/** The note that would agree with the schema, to be pasted into the file. */
export function agreeingNote({ note, target, fields }: NoteConflict): JsonObject | undefined {
  const { kind, reason, link } = note;
  return fields && { kind, target, ...fields, reason, link };
}

const date = /^\d{4}-\d{2}-\d{2}$/;

/** Names that folders of output or input have, and those Windows keeps for devices. */
const reserved = /^(?:dist|extensions|node_modules|con|prn|aux|nul|com\d|lpt\d|.*\.(?:json|ts|js|md))$/i;

/** Whether `name` is a date of the calendar, as released revisions are called. */
export function isDate(name: string): boolean {
  const day = new Date(`${name}T00:00:00Z`);
  return date.test(name) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(name);
}

/** The name of the folder that a file lies in, by its path or URL. */
export function folderOf(source: string): string {
  return basename(dirname(/^https?:/i.test(source) ? new URL(source).pathname : source));
}

/** Whether upstream would call the folder of a revision so. */
export function isRevisionFolder(folder: string): boolean {
  return isDate(folder) || folder === "draft";
}

/**
 * The default name of a revision: the folder its file lies in, if that is a date or `draft`.
 *
 * @param source path or URL of the file
 * @throws CodedError MG2007 for any other folder
 */
export function nameFromFolder(source: string): string {
  const folder = folderOf(source);
  if (isRevisionFolder(folder)) return folder;
  throw new CodedError("MG2007", "the folder of the file does not give the name of the revision", {
    place: { file: source },
    next: "Say it with --name, e.g. --name 2026-07-28.",
  });
}

/** @throws CodedError MG2008 for a name that cannot be a folder's in input and output */
export function expectRevisionName(name: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/.test(name) && !reserved.test(name)) return name;
  throw new CodedError("MG2008", `a revision cannot be called ${JSON.stringify(name)}`, {
    next: "Use letters, digits, - and _, e.g. 2026-07-28 or draft.",
  });
}
