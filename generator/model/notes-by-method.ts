import type { Capability } from "./model.js";
import type { NoteProblem } from "../notes/apply.js";
import type {
  CapabilityNote,
  DeprecatedNote,
  ListeningNote,
  Note,
  PairingNote,
  SenderNote,
  SubscriptionNote,
} from "../notes/note.js";

/** The notes about one method. */
export interface MethodNotes {
  readonly pairing?: PairingNote;
  readonly sender?: SenderNote;
  readonly capabilities: readonly CapabilityNote[];
  readonly deprecated?: DeprecatedNote;
  readonly cacheable: boolean;
  readonly multiRoundTrip: boolean;
  readonly listening?: ListeningNote;
  readonly subscription?: SubscriptionNote;
}

type Writable = { -readonly [K in keyof MethodNotes]: MethodNotes[K] } & { capabilities: CapabilityNote[] };

/** Groups the notes about methods by method; notes about unknown methods are problems. */
export function notesByMethod(
  notes: readonly Note[],
  methods: ReadonlySet<string>,
  problems: NoteProblem[],
): ReadonlyMap<string, MethodNotes> {
  const byMethod = new Map<string, Writable>();
  const stated = new Set<string>();
  for (const note of notes) {
    for (const target of note.targets) {
      if (!speaksOfMethod(note, target)) continue;
      if (!methods.has(target)) {
        problems.push({ code: "MG1202", note, target, message: "the schema has no such method" });
        continue;
      }
      const fact = `${aspectOf(note)} of ${target}`;
      if (stated.has(fact)) {
        problems.push({ code: "MG1203", note, target, message: "another note of this kind is about it" });
        continue;
      }
      stated.add(fact);
      const entry: Writable = byMethod.get(target) ?? {
        capabilities: [],
        cacheable: false,
        multiRoundTrip: false,
      };
      byMethod.set(target, entry);
      take(entry, note);
    }
  }
  return byMethod;
}

function speaksOfMethod(note: Note, target: string): boolean {
  switch (note.kind) {
    case "pairing":
    case "sender":
    case "capability":
    case "cacheable":
    case "invalidates":
    case "multiRoundTrip":
    case "listening":
    case "partial":
    case "subscription":
    case "requires":
      return true;
    case "augments":
    case "member":
    case "carries":
    case "channel":
      return false;
    case "deprecated":
      return !target.startsWith("/");
    case "header":
      return target !== "*";
    case "errata":
    case "error":
    case "extends":
    case "lift":
    case "lower":
    case "open":
    case "owned":
    case "renamed":
    case "reshaped":
    case "transport":
    case "wrapped":
      return false;
  }
}

/** What a note says of a method. Two notes that say the same of one method are one too many. */
function aspectOf(note: Note): string {
  if (note.kind === "capability") return `capability of the ${note.of}`;
  return note.kind === "header" ? `header ${note.header.toLowerCase()}` : note.kind;
}

function take(entry: Writable, note: Note): void {
  switch (note.kind) {
    case "pairing":
      entry.pairing = note;
      break;
    case "sender":
      entry.sender = note;
      break;
    case "capability":
      entry.capabilities.push(note);
      break;
    case "deprecated":
      entry.deprecated = note;
      break;
    case "cacheable":
      entry.cacheable = true;
      break;
    case "multiRoundTrip":
      entry.multiRoundTrip = true;
      break;
    case "listening":
      entry.listening = note;
      break;
    case "subscription":
      entry.subscription = note;
      break;
  }
}

/** The capabilities in the order of their sides. */
export function capabilitiesOf(notes: readonly CapabilityNote[]): Capability[] {
  return notes
    .map(({ of, capability, parts }) => ({ of, path: capability, ...(parts && { parts }) }))
    .sort((a, b) => (a.of < b.of ? -1 : 1));
}
