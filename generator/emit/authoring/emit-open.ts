import { published } from "../../model/published.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";
import { methodDoc } from "../method-doc.js";
import { openFile } from "../open/open-file.js";
import { authoredResults, authoredSchema } from "./authored-schema.js";
import { exportedNames } from "./emit.js";

/** `open.ts`: what clients read, in the vocabulary of `authoring.ts`: its open reading. */
export const emitOpen: Emitter<WorkspaceInput> = ({ models, origin, importExtension, render }) => {
  const model = published(models).at(-1);
  if (!model) return new Map();
  const { schema, reached } = authoredSchema(model);
  const results = model.methods
    .filter(({ kind, senders }) => kind === "request" && senders.includes("client"))
    .map((method) => ({
      method: method.name,
      doc: methodDoc(method, "  "),
      definitions: authoredResults(model, method),
    }));
  const file = openFile({
    schema,
    names: exportedNames(model),
    reached: new Set(reached.map(({ name }) => name)),
    results,
    exactModule: `./authoring.${importExtension}`,
    origin,
    render,
  });
  return new Map([["open.ts", file]]);
};
