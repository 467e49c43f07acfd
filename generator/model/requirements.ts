import type { NoteProblem } from "../notes/apply.js";
import type { Note, RequiresNote } from "../notes/note.js";
import { type Method, type ProtocolModel, type Requirement, type Role, gate } from "./model.js";

/** The error of a missing capability, by the name that revisions give it. */
export const missingCapability = "MISSING_REQUIRED_CLIENT_CAPABILITY";

interface Subject {
  readonly methods: readonly Pick<Method, "name" | "kind" | "senders">[];
  /** The errors that a note may name; without them, any. */
  readonly errors?: ProtocolModel["errors"];
  /** Of an extension: where each side declares it. */
  readonly declared?: { readonly [Side in Role]?: string };
}

/** What notes of kind `requires` say of methods, by method. Without a capability, the extension itself must be declared. */
export function requirementsOf(
  notes: readonly Note[],
  { methods, errors, declared = {} }: Subject,
  problems: NoteProblem[],
): ReadonlyMap<string, Pick<Method, "requires">> {
  const requirements = new Map<string, Pick<Method, "requires">>();
  for (const note of notes) {
    if (note.kind !== "requires") continue;
    for (const target of note.targets) {
      const method = methods.find(({ name }) => name === target);
      // notesByMethod has reported it.
      if (!method) continue;
      const path = note.capability ?? declared[note.of];
      const message =
        path === undefined
          ? `the ${note.of} declares no place of the extension`
          : faultOf(note, method, errors);
      if (message !== undefined) problems.push({ code: "MG1202", note, target, message });
      else {
        const requires = { of: note.of, path: path!, error: note.error ?? missingCapability };
        requirements.set(target, { requires });
      }
    }
  }
  return requirements;
}

function faultOf(
  { of, error }: RequiresNote,
  { kind, senders }: Subject["methods"][number],
  errors: Subject["errors"],
): string | undefined {
  if (kind === "request" && !senders.includes(of)) return `the ${of} does not send it`;
  const isKnown = error === undefined || (errors?.some(({ name }) => name === error) ?? true);
  return isKnown ? undefined : `the revision has no error ${JSON.stringify(error)}`;
}

/**
 * What a method of a revision requires beside the capability that gates it: what notes say, or the capability of the other
 * side where one side alone sends the method and both must have declared something.
 */
export function requirementOf(method: Method): Requirement | undefined {
  const { capabilities, requires, senders } = method;
  const [sender, other] = senders;
  if (requires || !sender || other || capabilities.length < 2) return requires;
  const gating = gate(method, sender);
  const { of, path } = capabilities.find((each) => each !== gating)!;
  return { of, path, error: missingCapability };
}
