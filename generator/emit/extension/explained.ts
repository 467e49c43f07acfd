import { laidOut } from "../../print/code-layout.js";
import { identifiersFor } from "../../print/names.js";
import { stringLiteral } from "../../print/text.js";
import type { Emitter } from "../emitter.js";
import { sharedModule } from "../imported.js";
import type { WholeExtensionInput } from "./input.js";

/** `explained.ts`: the function that gives an extension its `explain` and its `sends`. */
export const emitExtensionExplained: Emitter<WholeExtensionInput> = (input) => {
  const { models, folder, origin, importExtension, render } = input;
  const names = identifiersFor(models.map(({ revision }) => `base ${revision}`));
  const content = render("extension-explained.ts", {
    ...{ origin, importExtension },
    modules: { extending: sharedModule(input, "extending"), model: sharedModule(input, "model") },
    bases: models.map(({ revision }) => ({
      folder: revision,
      key: stringLiteral(revision),
      name: names.get(`base ${revision}`)!,
    })),
  });
  return new Map([[`${folder}/explained.ts`, laidOut(content)]]);
};
