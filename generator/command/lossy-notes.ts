import { join } from "node:path";
import type { Finding } from "../diagnostics/finding.js";
import type { GenerateRequest, Generated } from "../pipeline/generate.js";
import type { CommandContext } from "./context.js";
import { shownPath } from "./shown-path.js";

/** Warnings about notes whose expressions do not bring back what they convert. */
export async function lossyNotes(
  { models }: Pick<Generated, "models">,
  { schemaDir, only }: Pick<GenerateRequest, "only" | "schemaDir">,
  { directory }: CommandContext,
): Promise<Finding[]> {
  if (only?.includes("steps") === false) return [];
  if (models.every(({ reshapes }) => reshapes.length === 0)) return [];
  // Loaded only for them: few runs have such notes.
  const { lossyReshapes } = await import("../emit/steps/problems.js");
  return models.flatMap((model, index) => {
    const previous = models[index - 1];
    const lossy = previous ? lossyReshapes(previous, model) : [];
    return lossy.map(({ note, pointer, message }): Finding => ({
      code: "MG1208",
      severity: "warning",
      message: `note of kind reshaped on ${note.targets.join(", ")}: a value is lost. ${message}`,
      place: { file: shownPath(schemaDir, directory, join(model.revision, "notes.json")), pointer },
      next: 'Keep in "lift" what "lower" needs, or accept the loss.',
    }));
  });
}
