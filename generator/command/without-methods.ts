import type { Finding } from "../diagnostics/finding.js";
import type { Generated, GenerateRequest } from "../pipeline/generate.js";
import type { CommandContext } from "./context.js";
import { shownPath } from "./shown-path.js";

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
