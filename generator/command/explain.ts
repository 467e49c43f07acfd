import { explainLintRule } from "../lint/manual.js";
import { lintRules } from "../lint/lint-contract.js";
import { explainRule } from "../diff/rules/manual.js";
import { ruleIds, ruleTable } from "../diff/rules/table.js";
import { catalogue } from "../diagnostics/catalogue.js";
import { renamed } from "../diagnostics/renamed.js";
import { kindsOfNotes } from "../notes/parse.js";
import type { NoteKind } from "../notes/note.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { nameAdvice } from "../diagnostics/suggest.js";
import { columns } from "../print/terminal-text.js";
import { type RunCommand, exitCodes } from "./command.js";

const codes: ReadonlyMap<string, Diagnostic> = new Map(Object.entries(catalogue));
/** Rules outside the rule table, with the error code that explains them. */
const otherNames: ReadonlyMap<string, string> = new Map([["extension-breaking-same-id", "MG1311"]]);
const noteKinds = Object.keys(kindsOfNotes) as NoteKind[];
const lintIds = lintRules.map(({ id }) => id);

export const explain: RunCommand = async (args) => {
  const asked = args.string("code");
  const code = asked === undefined ? undefined : (otherNames.get(asked.toLowerCase()) ?? asked.toUpperCase());
  if (asked === undefined || code === undefined) {
    const rows = [...codes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { title }]) => [name, title]);
    const rules = `Rules of mcpgen diff: ${ruleIds.join(", ")}`;
    const lint = `Rules of mcpgen lint: ${lintIds.join(", ")}`;
    return {
      text: `${columns(rows)}\n\n${wrapped(rules)}\n\n${wrapped(lint)}`,
      data: { codes: catalogue, rules: ruleTable, lintRules },
    };
  }
  const now = Object.hasOwn(renamed, asked) ? renamed[asked]! : undefined;
  if (now !== undefined)
    return { text: wrapped(`${asked} no longer exists. In its place: ${now}.`), data: { name: asked, now } };
  const rule = explainRule(asked.toLowerCase());
  if (rule !== undefined) {
    const id = asked.toLowerCase();
    return { text: wrapped(rule), data: { rule: id, rows: ruleTable.filter((row) => row.id === id) } };
  }
  const lint = explainLintRule(asked.toLowerCase());
  if (lint !== undefined) {
    const id = asked.toLowerCase();
    return { text: wrapped(lint), data: { rule: id, rows: lintRules.filter((row) => row.id === id) } };
  }
  const kind = noteKinds.find((name) => name.toLowerCase() === asked.toLowerCase());
  if (kind !== undefined) {
    const { description } = kindsOfNotes[kind];
    const fields = fieldsOf(kind);
    const text = `${kind}: ${description}\nFields beside those of every note: ${fields.join(", ") || "none"}.`;
    return { text: wrapped(text), data: { kind, description, fields } };
  }
  const diagnostic = codes.get(code);
  if (!diagnostic) throw unknownCode(asked);
  const { title, exit, explanation } = diagnostic;
  const more = code === "MG1201" ? `\n\n${columns(notesRows())}` : "";
  return {
    text: `${code}: ${title}\n\n${wrapped(explanation)}${more}\n\n${wrapped(effectOf(diagnostic))}`,
    data: { code, title, severities: severitiesOf(diagnostic), exitCode: exit, explanation },
  };
};

/** A row for each kind of note with its fields. Brackets mark optional fields. */
function notesRows(): string[][] {
  return noteKinds.map((kind) => [kind, fieldsOf(kind).join(" "), kindsOfNotes[kind].description]);
}

function fieldsOf(kind: NoteKind): string[] {
  return Object.entries(kindsOfNotes[kind].fields).map(([name, { optional }]) =>
    optional ? `[${name}]` : name,
  );
}

/** A sentence about the exit code of an error code. */
function effectOf({ exit, mayWarn, informs }: Diagnostic): string {
  if (informs) return "Information: it does not change the exit code.";
  if (exit === 0) return "Warning: it does not change the exit code.";
  const meaning = `${exit}: ${exitCodes.get(exit)}`;
  return mayWarn
    ? `Error or warning: an error leads to exit code ${meaning}. A warning does not change the exit code.`
    : `Exit code ${meaning}.`;
}

function severitiesOf({ exit, mayWarn, informs }: Diagnostic): readonly Finding["severity"][] {
  if (informs) return ["info"];
  if (exit === 0) return ["warning"];
  return mayWarn ? ["error", "warning"] : ["error"];
}

function unknownCode(code: string): CodedError {
  const known = [...codes.keys(), ...ruleIds, ...lintIds, ...noteKinds, ...Object.keys(renamed)];
  return new CodedError("MG2006", `there is no code or rule ${JSON.stringify(code)}`, {
    next: nameAdvice(code, known, "`mcpgen explain` lists all codes and rules."),
  });
}

/** Wraps a text at 90 characters. */
function wrapped(text: string): string {
  return text.replace(/(?![^\n]{1,90}$)([^\n]{1,90})\s/g, "$1\n");
}
