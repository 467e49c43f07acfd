import type { Finding } from "../../diagnostics/finding.js";
import { type Decision, placeText } from "./question.js";

/** The decisions as findings: annotations of a pull request, beside the file that answers them. */
export function questionFindings(decisions: readonly Decision[]): Finding[] {
  // Carried notes have findings already.
  const others = decisions.filter(({ kind }) => kind !== "carried-notes");
  return others.map(({ title, advice, file, questions }) => {
    const detail = questions.flatMap((question) => {
      const { text, paste } = question;
      if (paste.length === 0) return [text];
      return [`${text} ${placeText(question)}`, ...paste.map((value) => JSON.stringify(value))];
    });
    return {
      code: "MG3113",
      severity: "warning",
      message: title,
      ...(file !== undefined && { place: { file } }),
      next: advice,
      ...(detail.length > 0 && { detail: detail.join("\n") }),
    };
  });
}
