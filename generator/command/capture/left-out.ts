import type { Captured, LeftOut, UnreadList } from "../../capture/capture.js";
import { type ServerSource, shownSource } from "../../capture/server-source.js";
import type { InvalidEntry } from "../../diff/contract/diff-contracts.js";
import type { Finding } from "../../diagnostics/coded-error.js";
import { counted } from "../../print/terminal-text.js";

/** An entry that a contract does not have because the server's list is wrong there. */
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

/** The finding of an invalid entry with a name. */
export type InvalidFinding = InvalidEntry & { readonly finding: Finding };

interface LeftOutFindings {
  readonly findings: readonly Finding[];
  readonly invalid: readonly InvalidFinding[];
}

/** The findings about entries that a server lists wrong, and which of them have a name. */
export function leftOutFindings(leftOut: readonly LeftOut[], source: ServerSource): LeftOutFindings {
  const entries = leftOut.map((entry) => ({ ...entry, finding: leftOutFinding(entry, source) }));
  return {
    findings: entries.map(({ finding }) => finding),
    invalid: entries.flatMap(({ name, ...rest }) => (name === undefined ? [] : [{ ...rest, name }])),
  };
}

/** Lists that leave entries out: one finding for each. */
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

/** A list that failed, beside others that came. */
export function unreadFinding({ list, reason }: UnreadList, source: ServerSource): Finding {
  return {
    code: "MG6327",
    severity: "warning",
    message: `${list}: the list is incomplete: ${reason}`,
    place: { file: shownSource(source) },
    next: "Correct it in the server; the other lists are complete.",
  };
}
