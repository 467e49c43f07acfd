import type { Emitter, WorkspaceInput } from "../emitter.js";

/** `model.ts`: the types that the tables of all revisions share. */
export const emitSharedModel: Emitter<WorkspaceInput> = ({ origin, importExtension, render }) =>
  new Map([["model.ts", { content: render("model.ts", { origin, importExtension }), formatted: true }]]);
