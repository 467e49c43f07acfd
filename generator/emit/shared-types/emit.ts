import { copyModule } from "../copied-module.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";

/** Modules that stand beside the revisions, and are the same in every output. */
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
 * `model.ts`, `issue.ts`: the types that the tables of all revisions share; `sending.ts`: what judges messages by the tables;
 * `batches.ts`: what receives batches;
 * `extending.ts`: extensions as programs use them, and what merges their tables.
 */
export const emitSharedModel: Emitter<WorkspaceInput> = (input) =>
  new Map(
    modules.map((name) => [`${name}.ts`, { content: copyModule(name, input), formatted: true as const }]),
  );
