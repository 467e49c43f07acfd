import { copyModule } from "../copied-module.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";

/** Shared modules beside the revisions, the same in every output. */
const modules = [
  "batches",
  "issue",
  "model",
  "sending",
  "extending",
  "extending/added-members",
  "extending/claims",
  "extending/completing",
  "extending/declaring",
  "extending/dispatching",
  "extending/extend",
  "extending/guarding",
  "extending/judging",
  "extending/merging",
  "extending/serving",
  "extending/usable",
];

/**
 * Emits `model.ts` and `issue.ts` (types shared by all tables), `sending.ts` (checks outgoing messages with
 * the tables), `batches.ts` (receives batches) and `extending.ts` (extensions in programs, and the merge of
 * their tables).
 */
export const emitSharedModel: Emitter<WorkspaceInput> = (input) =>
  new Map(
    modules.map((name) => [`${name}.ts`, { content: copyModule(name, input), formatted: true as const }]),
  );
