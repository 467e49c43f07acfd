import type { ComparedFile, FileState } from "./compare.js";

export type Action = "CREATE" | "UPDATE" | "DELETE" | "UNCHANGED" | "CONFLICT";

/** The action of a run on one file. */
export interface PlannedFile {
  readonly path: string;
  readonly action: Action;
  /** How the file on disk relates to the planned one; gives the reason of a conflict. */
  readonly state: FileState;
  /** The content of the file afterwards; null if the file is deleted. */
  readonly content: string | null;
  /** Bytes on disk before. */
  readonly before: number;
  /** Bytes on disk afterwards. */
  readonly after: number;
}

interface PlanOptions {
  /** Overwrite and delete what was edited by hand or stands in the way. */
  readonly force: boolean;
}

/**
 * Decides what to do with every compared file. A plan never includes foreign files at other paths than its own.
 */
export function planOutput(compared: readonly ComparedFile[], { force }: PlanOptions): PlannedFile[] {
  return compared.filter(({ state }) => state !== "foreign").map((file) => planFile(file, force));
}

function planFile({ path, state, planned, present }: ComparedFile, force: boolean): PlannedFile {
  const action = actionOf(state, force);
  const before = present === undefined ? 0 : Buffer.byteLength(present);
  const content = planned ?? null;
  const after = action === "CONFLICT" ? before : content === null ? 0 : Buffer.byteLength(content);
  return { path, action, state, content, before, after };
}

function actionOf(state: FileState, force: boolean): Action {
  switch (state) {
    case "same":
      return "UNCHANGED";
    case "missing":
      return "CREATE";
    case "outdated":
      return "UPDATE";
    case "stale":
      return "DELETE";
    case "stale-edited":
      return force ? "DELETE" : "CONFLICT";
    default:
      return force ? "UPDATE" : "CONFLICT";
  }
}
