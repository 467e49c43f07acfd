import { basename } from "node:path";
import { extensionKey, storedExtensions } from "../extension/extension-store.js";
import { removeExtension, stageRemoval } from "../extension/remove.js";
import { counted } from "../print/counted.js";
import { usesOwnRevisions } from "../revision/revisions-folder.js";
import type { RunCommand } from "./context.js";
import { type Project, openProject, schemaRoot } from "./project.js";

export const extensionRemove: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const isRehearsal = args.flag("dry-run");
  const wanted = args.required("extension");
  const { extension, files } = isRehearsal
    ? await stageRemoval(project.schemaDir, wanted)
    : await removeExtension(project.schemaDir, wanted, schemaRoot(project));
  const { id, version } = extension;
  const verb = isRehearsal ? "would be removed" : "removed";
  return {
    text: `${extensionKey(extension)}: ${verb}, ${counted(files.length, "file")}`,
    ...(!isRehearsal && { summary: nextStep(project) }),
    data: { id, version, files, dryRun: isRehearsal },
  };
};

function nextStep({ schemaDir, outDir }: Project): string {
  const isLast = usesOwnRevisions(schemaDir) && storedExtensions(schemaDir).length === 0;
  if (!isLast) return "Next: `mcpgen generate`, which removes what was generated from it.";
  return `The schema folder is empty now: if ${basename(outDir)} has files of the extension, delete them.`;
}
