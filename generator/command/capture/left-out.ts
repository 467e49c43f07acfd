import type { Captured, LeftOut, UnreadList } from "../../capture/capture.js";
import { type ServerSource, shownSource } from "../../capture/server-source.js";
import type { InvalidEntry } from "../../diff/contract/diff-contracts.js";
import type { Finding } from "../../diagnostics/coded-error.js";
import { counted } from "../../print/terminal-text.js";

/** Finding for an entry that the contract omits because the server lists it in an invalid form. */
export function leftOutFinding({ list, index, name, reason }: LeftOut, source: ServerSource): Finding {
  const called = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return {
    code: "MG6301",
    severity: "error",
    message: `${list}: entry ${index + 1}${called} is left out: ${reason}`,
    place: { file: shownSource(source) },
    next: "Correct it in the server; the contract has the other entries.",
  };
}

/** Finding for an invalid entry that has a name. */
export type InvalidFinding = InvalidEntry & { readonly finding: Finding };

interface LeftOutFindings {
  readonly findings: readonly Finding[];
  readonly invalid: readonly InvalidFinding[];
}

/** Findings for all omitted entries. `invalid` has those whose entry has a name. */
export function leftOutFindings(leftOut: readonly LeftOut[], source: ServerSource): LeftOutFindings {
  const entries = leftOut.map((entry) => ({ ...entry, finding: leftOutFinding(entry, source) }));
  return {
    findings: entries.map(({ finding }) => finding),
    invalid: entries.flatMap(({ name, ...rest }) => (name === undefined ? [] : [{ ...rest, name }])),
  };
}

/** One finding for each list that may be incomplete. */
export function incompleteFindings({ incomplete }: Captured, source: ServerSource): Finding[] {
  return incomplete.map(({ list, references }): Finding => {
    const referred =
      references.length === 0 ? "" : `, and only refers to ${counted(references.length, "entry", "entries")}`;
    return {
      code: "MG6328",
      severity: "info",
      message: `${list}: the list may leave entries out${referred}`,
      place: { file: shownSource(source) },
    };
  });
}

/** Finding for a list that could not be read completely although others could. */
export function unreadFinding({ list, reason }: UnreadList, source: ServerSource): Finding {
  return {
    code: "MG6327",
    severity: "warning",
    message: `${list}: the list is incomplete: ${reason}`,
    place: { file: shownSource(source) },
    next: "Correct it in the server; the other lists are complete.",
  };
}
