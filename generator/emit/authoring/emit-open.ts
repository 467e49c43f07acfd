import type { Emitter, WorkspaceInput } from "../emitter.js";
import { methodDoc } from "../method-doc.js";
import { openFile } from "../open/open-file.js";
import { authoredResults, authoredSchema } from "./authored-schema.js";
import { exportedNames } from "./emit.js";
import { vocabularyFrom } from "./vocabulary.js";

/** `open.ts`: what clients read, in the vocabulary of `authoring.ts`: its open reading. */
export const emitOpen: Emitter<WorkspaceInput> = (input) => {
  const { models, origin, importExtension, render } = input;
  const vocabulary = vocabularyFrom(models, input.vocabulary);
  if (!vocabulary) return new Map();
  const { model } = vocabulary;
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
    names: exportedNames(vocabulary),
    reached: new Set(reached.map(({ name }) => name)),
    results,
    exactModule: `./authoring.${importExtension}`,
    origin,
    render,
  });
  return new Map([["open.ts", file]]);
};
