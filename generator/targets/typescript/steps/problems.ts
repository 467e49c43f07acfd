import { pointerTokens } from "@mcpgen/engine";
import { CodedError } from "../../../diagnostics/coded-error.js";
import type { Assumption, ProtocolModel } from "../../../model/model.js";
import type { Note, RenamedNote, ReshapedNote, StepNote, WrappedNote } from "../../../notes/note.js";
import { type StepPlan, planSteps } from "./methods.js";
import { type Counterexample, proofOf } from "./proof.js";

/**
 * Throws for notes without effect and notes that cannot be applied. If notes exist for the pair of revisions,
 * they must cover every value that the older one cannot express. Without any, such values are refused; that
 * is reported as an assumption.
 */
export function refuseProblems(
  plan: StepPlan,
  model: ProtocolModel,
  previous: ProtocolModel,
  origin: string,
  own?: OwnSteps,
): void {
  const { lift, lower, renames, wraps, reshapes } = plan;
  const isOwn = ({ note }: { readonly note: Note }): boolean => own === undefined || own.notes.has(note);
  const refuse = (
    code: "MG1203" | "MG1206",
    { note, pointer = note.pointer }: Faulty,
    fault: string,
    next: string,
  ): never => {
    throw new CodedError(code, `note of kind ${note.kind}${fault}`, {
      place: { file: `${origin}/notes.json`, pointer },
      next,
    });
  };
  const needless = renames.idle.find(isOwn);
  if (needless) {
    const { note, target } = needless;
    const fault = ` on ${target}: no object that corresponds to this one in revision ${previous.revision} has a member ${JSON.stringify(note.from)} and none of the new name`;
    refuse("MG1203", needless, fault, 'Remove the note, or this target of it, or mend its "from".');
  }
  const flat = wraps.idle.find(isOwn);
  if (flat) {
    const { note, target } = flat;
    const fault = ` on ${target}: no object that corresponds to this one in revision ${previous.revision} requires a member ${JSON.stringify(note.in)} that is an object with none of the names around it`;
    refuse("MG1203", flat, fault, 'Remove the note, or this target of it, or mend its "in".');
  }
  const wrong = reshapes.problems.find(isOwn);
  if (wrong) refuse("MG1206", wrong, `: ${wrong.message}`, wrong.next ?? "Correct the expression.");
  const unused = reshapes.idle.find(isOwn);
  if (unused) {
    const fault = ` on ${unused.target}: no message has an object there in both revisions, ${previous.revision} and this`;
    refuse("MG1203", unused, fault, "Remove the note, or this target of it.");
  }
  for (const { decisions } of [lift, lower]) {
    const impossible = decisions.impossible.find(isOwn);
    if (impossible) {
      const next = "Choose another outcome: drop, text, refuse or fill.";
      refuse("MG1206", impossible, `: ${impossible.message}`, next);
    }
    const idle = decisions.idle.find(isOwn);
    if (idle) {
      const fault = ` on ${idle.target}: it decides nothing`;
      refuse("MG1203", idle, fault, "Remove the note, or this target of it.");
    }
  }
  const undecided = lower.decisions.undecided.find(
    ({ pointer }) => own === undefined || !own.imported.has(pointerTokens(pointer)[1] ?? ""),
  );
  if (undecided && isDecided(model, previous)) {
    throw new CodedError(
      "MG1205",
      `${undecided.pointer || undecided.what}: ${undecided.what} has no form in revision ${previous.revision}, and no note says what becomes of it`,
      {
        place: { file: `${origin}/notes.json` },
        next: `Add a note of kind lower on ${undecided.pointer || undecided.what}.`,
      },
    );
  }
  const refused = reshapes.places.length > 0 && proofOf(plan).refused.find(isOwn);
  if (refused) {
    const next = "Correct the expressions, so that they make a valid value of every valid value.";
    refuse("MG1206", refused, `: ${refused.message}`, next);
  }
}

/** A note that cannot be applied, or has no effect, and the place of its fault in notes.json. */
interface Faulty {
  readonly note: StepNote | RenamedNote | ReshapedNote | WrappedNote;
  readonly pointer?: string;
}

/**
 * Values of the preceding revision that notes of kind `reshaped` change: converted by `lift` and back by
 * `lower`, they differ from the original.
 */
export function lossyReshapes(previous: ProtocolModel, model: ProtocolModel): readonly Counterexample[] {
  return model.reshapes.length > 0 ? proofOf(planSteps(previous, model)).lossy : [];
}

/**
 * The decisions that an extension makes itself. Its base decides the others, if it has notes for the pair.
 */
export interface OwnSteps {
  readonly notes: ReadonlySet<Note>;
  /** Names of the definitions that come from the base. */
  readonly imported: ReadonlyMap<string, string>;
}

/** Whether notes cover the values on the way to the preceding revision. */
function isDecided({ stepNotes }: ProtocolModel, previous: ProtocolModel): boolean {
  return stepNotes.some((note) => note.kind === "lower" && note.previous === previous.revision);
}

/** Assumptions about values that steps refuse without a note, if no note concerns the pair. */
export function stepAssumptions(previous: ProtocolModel, model: ProtocolModel): Assumption[] {
  if (isDecided(model, previous)) return [];
  const { undecided } = planSteps(previous, model).lower.decisions;
  const places = new Map(undecided.map((each) => [`${each.pointer} ${each.what}`, each]));
  return [...places.values()].map(({ pointer, what }) => ({
    kind: "lower",
    subject: pointer || what,
    text: `${what} has no form in revision ${previous.revision}; messages that hold it are refused there.`,
  }));
}
