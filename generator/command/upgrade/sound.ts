import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { parseNotes } from "../../notes/parse.js";
import { undocumented } from "../../revision/documentation.js";
import { resolveRevision } from "../../revision/revision-source.js";
import type { Decision, Question } from "./question.js";
import type { StagedUpgrade } from "./stage.js";

/**
 * The decisions without proposals that the schema refuses or that change nothing: what is offered can be pasted. Whether a
 * note on values at the other revision holds was tried before.
 */
export async function soundDecisions(
  decisions: readonly Decision[],
  staged: StagedUpgrade,
): Promise<Decision[]> {
  const all = decisions.flatMap(({ questions }) => questions.filter(isOfNotes));
  const doubtful = new Set(await refused(all, staged));
  const unsound = new Set<Question>();
  // Together, two proposals may contradict each other that are right alone.
  for (const question of doubtful) if ((await refused([question], staged)).length > 0) unsound.add(question);
  const mended = (question: Question): Question =>
    unsound.has(question) ? { ...question, paste: [] } : question;
  return decisions.map((decision) => ({ ...decision, questions: decision.questions.map(mended) }));
}

function isOfNotes({ paste, at }: Question): boolean {
  return paste.length > 0 && at.startsWith("/notes/");
}

/** The questions whose notes have problems in the file. */
async function refused(
  questions: readonly Question[],
  { revision, notes }: StagedUpgrade,
): Promise<Question[]> {
  if (questions.length === 0) return [];
  const entries: { readonly entry: JsonValue; readonly from?: Question }[] = entriesOf(notes?.value).map(
    (entry) => ({ entry }),
  );
  for (const question of questions) {
    const place = Number(question.at.slice("/notes/".length));
    const asked = question.paste.map((entry) => ({ entry, from: question }));
    if (Number.isInteger(place) && asked[0]) entries[place] = asked[0];
    else entries.push(...asked);
  }
  const value = { format: 1, notes: entries.map(({ entry }) => entry) };
  const parsed = parseNotes({ file: revision.schema.file, value });
  const about = { revision: revision.revision, status: revision.locked.status };
  const document = revision.schema.value as JsonObject;
  const { problems } = await resolveRevision(revision.schema, document, parsed, undocumented, about);
  const found = problems.flatMap(({ note }) => entries[parsed.indexOf(note)]?.from ?? []);
  return [...new Set(found)];
}

function entriesOf(file: JsonValue | undefined): JsonValue[] {
  const notes = isJsonObject(file) ? file["notes"] : undefined;
  return Array.isArray(notes) ? [...notes] : [];
}
