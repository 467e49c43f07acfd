import { releasedModel } from "../../../support/models.js";
import { revisions } from "../../../support/revisions.js";
import { loaded } from "../emitted-output.js";
import { stepFiles } from "./between.js";
import type { PairSteps, Steps } from "./protocol.js";

/** The released revisions, oldest first. */
export const models = await Promise.all(revisions.map(releasedModel));
/** The revisions with steps to the one before. */
export const later = revisions.slice(1);
const emitted = await loaded<{ [name: string]: Steps }>(
  stepFiles(...models),
  later
    .map(
      (revision, index) =>
        `export { clientSteps as client${index + 1}, serverSteps as server${index + 1} } from "./${revision}/steps.js";`,
    )
    .join("\n"),
);

/** The steps between the revision at a place of `models` and the one before. */
export function stepsOf(index: number): PairSteps {
  return { clientSteps: emitted[`client${index}`]!, serverSteps: emitted[`server${index}`]! };
}
