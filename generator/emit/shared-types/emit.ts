import { copyModule } from "../copied-module.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";

/**
 * `model.ts`: the types that the tables of all revisions share; `sending.ts`: what judges messages by the tables;
 * `extending.ts`: extensions as programs use them.
 */
export const emitSharedModel: Emitter<WorkspaceInput> = (input) =>
  new Map(
    ["model", "sending", "extending"].map((name) => [
      `${name}.ts`,
      { content: copyModule(name, input), formatted: true as const },
    ]),
  );
