import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Definitions } from "../support/schema-changes/edits.js";

/** The revision that each trial adds, and the one before it, whose names handlers and clients use. */
export const next = "2027-01-15";
export const pin = "2026-07-28";

/** A note without its reason and link. */
export type NoteText = JsonObject;

/** A message on the wire. */
export type Frame = Readonly<Record<string, JsonValue>>;

/** A possible future change of the protocol. */
export interface Trial {
  readonly name: string;
  /** The subject of the change: the members and types of messages, or the methods and the handshake. */
  readonly of: "members" | "methods";
  /** Makes the next revision of the newest one. */
  readonly change: (definitions: Definitions) => void;
  /** Notes that a person adds to those that are carried over. */
  readonly notes?: readonly NoteText[];
  /** Whether a person deletes a note that is carried over. */
  readonly deleted?: (note: NoteText) => boolean;
  /** Whether a request of the new revision, or its result, has the form that the trial brings. */
  readonly seen: (exchange: Exchange) => boolean;
  /** Losses that are meant, as `pointer how`. */
  readonly losses?: readonly RegExp[];
  /**
   * Values of a tour that change for the client of the new revision, because the protocol does not have them any
   * longer.
   */
  readonly without?: readonly string[];
}

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly request: Frame;
  readonly result: Frame;
}
