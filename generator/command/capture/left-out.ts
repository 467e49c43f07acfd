import type { LeftOut, UnreadList } from "../../capture/capture.js";
import type { ServerSource } from "../../capture/server-source.js";
import { shownSource } from "../../capture/shown-source.js";
import type { Finding } from "../../diagnostics/finding.js";

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
