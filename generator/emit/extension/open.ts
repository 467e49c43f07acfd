import { authoredResults } from "../authoring/authored-schema.js";
import type { Emitter } from "../emitter.js";
import { methodDoc } from "../method-doc.js";
import { openFile } from "../open/open-file.js";
import { extensionVocabulary } from "./authoring.js";
import type { WholeExtensionInput } from "./input.js";

/** `open.ts`: what clients read of an extension, in the vocabulary of `authoring.ts`: its open reading. */
export const emitExtensionOpen: Emitter<WholeExtensionInput> = (input) => {
  const { folder, origin, importExtension, render } = input;
  const { model, authored, exported } = extensionVocabulary(input);
  const results = model.methods
    .filter(({ kind, senders }) => kind === "request" && senders.includes("client"))
    .map((method) => ({
      method: method.name,
      doc: methodDoc(method, "  "),
      definitions: authoredResults(model, method),
    }));
  const file = openFile({
    schema: authored.schema,
    names: exported,
    reached: new Set(authored.reached.map(({ name }) => name)),
    results,
    exactModule: `./authoring.${importExtension}`,
    origin,
    render,
  });
  return new Map([[`${folder}/open.ts`, file]]);
};
