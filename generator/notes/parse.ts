import { type JsonObject, isJsonObject, pointer } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { errorOfFaults } from "../files/fault.js";
import { FileForm } from "../files/file-form.js";
import type { JsonFile } from "../files/json-file.js";
import { type Malformed, readMembers } from "./expression.js";
import { extensionKinds, revisionKinds } from "./note-fields.js";
import { notesForm } from "./notes-schema.js";
import type { Note, NoteKind } from "./note.js";

interface ParseOptions {
  /** The notes are those of an extension, which has these bases. */
  readonly bases?: readonly string[];
}

/** A note as a file has it. */
interface Written {
  readonly kind: NoteKind;
  readonly target: string | readonly string[];
  readonly reason: string;
  readonly link: string;
  readonly carried?: boolean;
  readonly bases?: readonly string[];
  /** Of some kinds. */
  readonly capability?: string;
  readonly lift?: JsonObject;
  readonly lower?: JsonObject;
}

const form = new FileForm(notesForm, { unknownKey: "MG1201", wrongValue: "MG1201" });

/**
 * The notes of a notes file.
 *
 * @throws CodedError MG1201 naming the place for anything that is not of the form docs/notes.md describes
 */
export function parseNotes(
  { value, file }: Pick<JsonFile, "file" | "value">,
  { bases }: ParseOptions = {},
): Note[] {
  const malformed = (
    at: string,
    message: string,
    next = "Correct the note; `mcpgen explain MG1201` says what each kind has.",
  ): CodedError => new CodedError("MG1201", message, { place: { file, pointer: at }, next });

  const entries = isJsonObject(value) && Array.isArray(value["notes"]) ? value["notes"] : [];
  const error = errorOfFaults(form.faults(value), (at) => ({ file, pointer: at }));
  if (error) throw error;
  return (entries as unknown as readonly Written[]).map((written, index) => {
    const at = pointer("/notes", index);
    expectOwner(written, at, bases, malformed);
    expectExpressions(written, at, malformed);
    const { kind, target, reason, link, carried = false, bases: limited, ...fields } = written;
    const targets = typeof target === "string" ? [target] : target;
    return {
      ...{ kind, targets, reason, link, carried, pointer: at },
      ...fields,
      ...(limited && { bases: limited }),
    } as Note;
  });
}

/** Reads the expressions of a note, for what their schema does not say. */
function expectExpressions({ kind, lift, lower }: Written, at: string, malformed: Malformed): void {
  if (kind !== "reshaped") return;
  for (const [way, members] of Object.entries({ lift, lower }))
    if (members) readMembers(members, pointer(at, way), malformed);
}

/** Refuses what only notes of revisions have, or only those of extensions. @param bases of the extension */
function expectOwner(
  { kind, capability, bases: limited = [] }: Written,
  at: string,
  bases: readonly string[] | undefined,
  malformed: Malformed,
): void {
  if (!bases && kind === "requires" && capability === undefined)
    throw malformed(
      at,
      'a note of kind requires needs "capability" in a revision: which one a side declares',
    );
  if ((bases ? revisionKinds : extensionKinds).has(kind))
    throw malformed(`${at}/kind`, `notes of kind ${kind} belong to ${bases ? "revisions" : "extensions"}`);
  if (!bases && limited.length > 0) throw malformed(`${at}/bases`, 'notes of a revision have no "bases"');
  const stray = limited.find((base) => !bases!.includes(base));
  if (stray !== undefined)
    throw malformed(
      `${at}/bases`,
      `${JSON.stringify(stray)} is no base of the extension`,
      `Its extension.json has the bases ${bases!.join(", ")}.`,
    );
}
