import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { basename, dirname } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";

/** The fields of every note. */
interface NoteBase {
  /**
   * The subjects of the note: JSON Pointers into the canonical schema, names of methods, or error codes. The
   * file may give a single one as a string.
   */
  readonly targets: readonly string[];
  readonly reason: string;
  readonly link: string;
  /** Whether the note was copied from an older revision and is not yet confirmed for this one. */
  readonly carried: boolean;
  /** For a note of an extension: the bases it applies to; default: all. */
  readonly bases?: readonly string[];
  /** JSON Pointer of the note in its file. */
  readonly pointer: string;
}

/** Corrects the schema: `becomes` replaces the node, `type` only the printed TypeScript type. */
export interface ErrataNote extends NoteBase {
  readonly kind: "errata";
  readonly becomes?: JsonValue;
  readonly type?: string;
}

/** States that a definition repeats the members of another and inherits its openness. */
export interface ExtendsNote extends NoteBase {
  readonly kind: "extends";
  readonly base: string;
}

/** The result definition of a method, and its alternatives. */
export interface PairingNote extends NoteBase {
  readonly kind: "pairing";
  readonly result: string;
  /** A name means an alternative without a separate mark (discriminator) and capability. */
  readonly alternatives?: readonly (string | PairedAlternative)[];
  /** The capability of alternatives that do not name one. */
  readonly alternativeCapability?: string;
  /** The mark of alternatives that do not have one. */
  readonly alternativeMark?: PairedAlternative["mark"];
}

/** A result that a method may return instead of the plain one. */
export interface PairedAlternative {
  readonly definition: string;
  /** The member and value that distinguish it from the plain result. */
  readonly mark?: { readonly [member: string]: string };
  /** JSON Pointer of the capability that the answering side must have declared. */
  readonly capability?: string;
}

export interface SenderNote extends NoteBase {
  readonly kind: "sender";
  readonly sender: "client" | "server" | "both";
}

/** The capability that a method requires: a JSON Pointer into what one side declares. */
export interface CapabilityNote extends NoteBase {
  readonly kind: "capability";
  readonly of: "client" | "server";
  readonly capability: string;
  /** Members of the capability that each enable a part of the method. */
  readonly parts?: readonly string[];
}

/**
 * An HTTP header that repeats a part of a message (`from`, a JSON Pointer), or the revision once it is
 * negotiated (`null`).
 */
export interface HeaderNote extends NoteBase {
  readonly kind: "header";
  readonly header: string;
  readonly from: string | null;
}

/** States that results of the methods have cache hints. */
interface CacheableNote extends NoteBase {
  readonly kind: "cacheable";
}

/** States that notifications (the targets) invalidate cached results. */
export interface InvalidatesNote extends NoteBase {
  readonly kind: "invalidates";
  /** The methods whose cached results are invalidated, besides those that share the capability. */
  readonly methods: readonly string[];
}

/**
 * States that lists may be incomplete: how a result marks it, what replaces an entry, and how to request one.
 */
export interface PartialNote extends NoteBase {
  readonly kind: "partial";
  /** JSON Pointer into the result, to the member that marks the list. */
  readonly member: string;
  /** The value of that member in an incomplete list; if absent, any value. */
  readonly means?: boolean | number | string;
  /** JSON Pointer of the definition of items that are only references to an entry. */
  readonly item?: string;
  /** The method that requests a single entry. */
  readonly get?: string;
}

/** States that the methods may be answered with a request for input. */
interface MultiRoundTripNote extends NoteBase {
  readonly kind: "multiRoundTrip";
}

/** Requests that are answered only when their streams end. Their content arrives before, as notifications. */
interface ListeningNote extends NoteBase {
  readonly kind: "listening";
}

/** A notification that a member of a subscription's filter selects. */
export interface SubscriptionNote extends NoteBase {
  readonly kind: "subscription";
  /** JSON Pointer of that member: a property of a definition. */
  readonly filter: string;
  /** If the member is a list: the param whose value the list must contain. Absent if it is a flag. */
  readonly key?: string;
}

/** What a side must have declared before a method may be sent by it or to it. */
export interface RequiresNote extends NoteBase {
  readonly kind: "requires";
  readonly of: "client" | "server";
  /**
   * JSON Pointer into the capabilities. Default, only in extensions: the place where the side declares the
   * extension.
   */
  readonly capability?: string;
  /** Name of the error otherwise; default: the revision's error for a missing capability. */
  readonly error?: string;
}

/** A result that an extension adds to a method of its base. */
interface AugmentsNote extends NoteBase {
  readonly kind: "augments";
  /** Name of its definition. */
  readonly result: string;
  /** The member and value that distinguish it from the plain result. */
  readonly mark?: { readonly [member: string]: string };
}

/** A member that an extension adds to objects of its base. The targets are definitions of the base. */
interface MemberNote extends NoteBase {
  readonly kind: "member";
  /** JSON Pointer of the member within the object. */
  readonly member: string;
  /** Name of the definition of its value. */
  readonly definition: string;
  readonly required?: boolean;
}

/** States that the targets, places in the schema, contain the result of a method. */
export interface CarriesNote extends NoteBase {
  readonly kind: "carries";
  /** The method, of the extension or of its base. */
  readonly of: string;
}

/** A method of the extension or its base that is sent on the extension's channel. */
export interface ChannelNote extends NoteBase {
  readonly kind: "channel";
  /** The sending role. */
  readonly sender: string;
  /** The receiving role. */
  readonly receiver: string;
  /** Definition of the message, for a method that neither the extension nor the base defines. */
  readonly message?: string;
  /** Definition of that message's result. */
  readonly result?: string;
}

/** The targets are facts about HTTP that hold for the revision: see `TransportFact`. */
export interface TransportNote extends NoteBase {
  readonly kind: "transport";
}

/** Properties that the runtime fills in for the revision's era; authors never write them. */
export interface OwnedNote extends NoteBase {
  readonly kind: "owned";
}

interface DeprecatedNote extends NoteBase {
  readonly kind: "deprecated";
  readonly since: string;
  readonly instead?: string;
}

export interface ErrorNote extends NoteBase {
  readonly kind: "error";
  readonly name: string;
  /** HTTP status of the error's response. */
  readonly http?: number;
}

/**
 * Unions and string sets that later revisions extend: a tolerant reader accepts unknown values. Targets with
 * `additionalProperties: false`: objects that accept undeclared members.
 */
export interface OpenNote extends NoteBase {
  readonly kind: "open";
}

/**
 * The conversion of a value that the other revision of a pair cannot express: `lower` towards the preceding
 * revision, `lift` in the opposite direction. The target is a place in either schema.
 */
export interface StepNote extends NoteBase {
  readonly kind: "lower" | "lift";
  /** The preceding revision, for which the decision was made. */
  readonly previous: string;
  readonly how: "drop" | "text" | "refuse" | "fill" | "keep" | "lists";
  /** For a refusal: its stable code. */
  readonly code?: string;
  /** The text that replaces a value; `{member}` stands for a member of it. */
  readonly text?: string;
  /** The list that receives the member's JSON as text, if it is empty. */
  readonly into?: string;
  /** For a list of objects: the older revision's lists, by the member that each contains. */
  readonly members?: { readonly [member: string]: string };
  /** The replacement of a value, or the value of a missing required member. */
  readonly value?: JsonValue;
  /** Replacements of individual values. */
  readonly cases?: readonly StepCase[];
}

/** Members that had another name in the preceding revision. The targets are their places in this schema. */
export interface RenamedNote extends NoteBase {
  readonly kind: "renamed";
  /** The preceding revision, in which they had the other name. */
  readonly previous: string;
  /** The other name. */
  readonly from: string;
}

/** Definitions of this schema whose members were inside one member in the preceding revision. */
export interface WrappedNote extends NoteBase {
  readonly kind: "wrapped";
  /** The preceding revision, in which they were inside. */
  readonly previous: string;
  /** Name of that member. */
  readonly in: string;
}

/**
 * Objects of this schema whose members expressions make in conversions between this revision and the
 * preceding one.
 */
export interface ReshapedNote extends NoteBase {
  readonly kind: "reshaped";
  /** The preceding revision, for which the expressions were written. */
  readonly previous: string;
  /** Members of this revision, as expressions over an object of the preceding revision. */
  readonly lift?: JsonObject;
  /** Members of the preceding revision, as expressions over an object of this one. */
  readonly lower?: JsonObject;
}

/** A scalar value, and its replacement. */
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

/** The alternatives in a note, each with its mark and capability; `undefined` if the note has none. */
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

/** The result definitions in a note, the plain one first. */
export function answersNamed(note: PairingNote): string[] {
  return [note.result, ...(alternativesOf(note) ?? []).map(({ definition }) => definition)];
}

/** The note with its definitions renamed. */
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

/**
 * A note that contradicts the schema. The note applies, because it may correct the schema, but the conflict
 * is reported.
 */
export interface NoteConflict {
  readonly note: Note;
  readonly target: string;
  readonly message: string;
  /** The fields of a note that agrees with the schema; absent if a person must determine them. */
  readonly fields?: JsonObject;
  /** Set if a person must complete those fields. */
  readonly isUnfinished?: true;
}

/** The note that would agree with the schema, to paste into the file. */
export function agreeingNote({ note, target, fields }: NoteConflict): JsonObject | undefined {
  const { kind, reason, link } = note;
  return fields && { kind, target, ...fields, reason, link };
}

const date = /^\d{4}-\d{2}-\d{2}$/;

/** Names of folders in output or input, and device names that Windows reserves. */
const reserved = /^(?:dist|extensions|node_modules|con|prn|aux|nul|com\d|lpt\d|.*\.(?:json|ts|js|md))$/i;

/** Whether `name` is a calendar date, like the names of released revisions. */
export function isDate(name: string): boolean {
  const day = new Date(`${name}T00:00:00Z`);
  return date.test(name) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(name);
}

/** The name of the folder that contains a file, from its path or URL. */
export function folderOf(source: string): string {
  return basename(dirname(/^https?:/i.test(source) ? new URL(source).pathname : source));
}

/** Whether upstream could use this folder name for a revision. */
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

/** @throws CodedError MG2008 for a name that cannot be a folder name in input and output */
export function expectRevisionName(name: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/.test(name) && !reserved.test(name)) return name;
  throw new CodedError("MG2008", `a revision cannot be called ${JSON.stringify(name)}`, {
    next: "Use letters, digits, - and _, e.g. 2026-07-28 or draft.",
  });
}
