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

/** Outputs that say nothing of methods: asking for them alone says that none are expected. */
const ofDefinitions: ReadonlySet<string> = new Set(["types", "open", "validators", "explain"]);

/** Warnings about revisions whose schema describes no message, where output about messages is wanted. */
export function withoutMethods(
  { models }: Pick<Generated, "models">,
  { sources, only }: Pick<GenerateRequest, "sources" | "only">,
  { directory }: CommandContext,
): Finding[] {
  if (only?.every((name) => ofDefinitions.has(name))) return [];
  return models
    .filter(({ methods }) => methods.length === 0)
    .flatMap(({ revision }): Finding[] => {
      const source = sources.find((each) => each.revision === revision);
      if (!source) return [];
      return [
        {
          code: "MG1111",
          severity: "warning",
          message: `${revision}: no definition describes a message: tables and stubs are empty`,
          place: { file: shownPath(source.schemaFile, directory) },
          next: "Check that this is the schema of a protocol, or generate with --only types,validators,explain.",
        },
      ];
    });
}
