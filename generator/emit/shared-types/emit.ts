import { copyModule } from "../copied-module.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";

/** `model.ts`: the types that the tables of all revisions share. */
export const emitSharedModel: Emitter<WorkspaceInput> = (input) =>
  new Map([["model.ts", { content: copyModule("model", input), formatted: true }]]);
