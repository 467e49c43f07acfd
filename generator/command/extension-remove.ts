import { extensionKey } from "../extension/extension-store.js";
import { removeExtension, stageRemoval } from "../extension/remove.js";
import { recover } from "../files/transaction.js";
import { counted } from "../print/counted.js";
import type { RunCommand } from "./context.js";
import { commonFolder, openProject } from "./project.js";

export const extensionRemove: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const isRehearsal = args.flag("dry-run");
  if (!isRehearsal) recover(commonFolder(project));
  const run = isRehearsal ? stageRemoval : removeExtension;
  const { extension, files } = await run(project.schemaDir, args.required("extension"));
  const { id, version } = extension;
  const verb = isRehearsal ? "would be removed" : "removed";
  return {
    text: `${extensionKey(extension)}: ${verb}, ${counted(files.length, "file")}`,
    ...(!isRehearsal && { summary: "Next: `mcpgen generate`, which removes what was generated from it." }),
    data: { id, version, files, dryRun: isRehearsal },
  };
};
