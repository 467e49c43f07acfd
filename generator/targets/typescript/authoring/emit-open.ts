import type { EmittedFile } from "../../../print/emitted-file.js";
import type { Emitter, Surroundings, WorkspaceInput, WholeExtensionInput } from "../emitter.js";
import { extensionVocabulary } from "../extension/authoring.js";
import { methodDoc } from "../method-doc.js";
import { openFile } from "../open/open-file.js";
import { authoredResults, authoredSchema } from "./authored-schema.js";
import { type Authored, exportedNames } from "./emit.js";
import { vocabularyFrom } from "./vocabulary.js";

/**
 * Emits `open.ts`: the types that clients read, in the vocabulary of `authoring.ts`. They are open: unions
 * and string sets include unknown values.
 */
export const emitOpen: Emitter<WorkspaceInput> = (input) => {
  const vocabulary = vocabularyFrom(input.models, input.vocabulary);
  if (!vocabulary) return new Map();
  const { model } = vocabulary;
  const file = openOf({ model, authored: authoredSchema(model), exported: exportedNames(vocabulary) }, input);
  return new Map([["open.ts", file]]);
};

/** Emits the `open.ts` of an extension. */
export const emitExtensionOpen: Emitter<WholeExtensionInput> = (input) =>
  new Map([[`${input.folder}/open.ts`, openOf(extensionVocabulary(input), input)]]);

function openOf(
  { model, authored, exported }: Omit<Authored, "names">,
  { origin, importExtension, render }: Surroundings,
): EmittedFile {
  const results = model.methods
    .filter(({ kind, senders }) => kind === "request" && senders.includes("client"))
    .map((method) => ({
      method: method.name,
      doc: methodDoc(method, "  "),
      definitions: authoredResults(model, method),
    }));
  return openFile({
    schema: authored.schema,
    names: exported,
    reached: new Set(authored.reached.map(({ name }) => name)),
    results,
    exactModule: `./authoring.${importExtension}`,
    ...{ origin, render },
  });
}
