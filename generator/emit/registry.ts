import type { Emitter, ModelInput, SchemaInput, WorkspaceInput } from "./emitter.js";
import { emitOpen } from "./open/emit.js";
import { emitTypes } from "./types/emit.js";

/** Emitters by the name `--only` knows them under, in the order they run. */
interface Emitters<Input> {
  readonly [name: string]: Emitter<Input>;
}

/** Output made from JSON Schema alone, one set a revision. */
export const schemaEmitters: Emitters<SchemaInput> = {
  types: emitTypes,
  open: emitOpen,
};

/** Output made from the protocol model, one set a revision. */
export const modelEmitters: Emitters<ModelInput> = {};

/** Output that speaks of all revisions. */
export const workspaceEmitters: Emitters<WorkspaceInput> = {};
