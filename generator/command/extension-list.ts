import { extensionKey, filesOf, storedExtensions } from "../extension/extension-store.js";
import { readExtensionFile } from "../extension/extension-file.js";
import { loadJson } from "../files/json-file.js";
import { readExtensionLock } from "../revision/lock.js";
import { columns } from "./columns.js";
import type { RunCommand } from "./context.js";
import { openProject } from "./project.js";

export const extensionList: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const lock = readExtensionLock(schemaDir);
  const extensions = await Promise.all(
    storedExtensions(schemaDir).map(async (stored) => {
      const { bases, status } = await readExtensionFile(await loadJson(filesOf(stored).extension));
      const { id, version } = stored;
      return { id, version, status, bases, locked: lock.get(extensionKey(stored)) };
    }),
  );
  const rows = extensions.map(({ id, version, status, bases, locked }) => [
    ...[id, version, status, bases.join(" ")],
    ...[locked?.upstream?.date ?? "", locked?.upstream?.commit?.slice(0, 12) ?? ""],
  ]);
  const heading = ["extension", "version", "status", "bases", "upstream", "commit"];
  return {
    text:
      rows.length === 0
        ? "no extensions; `mcpgen extension add FILE --id ID --base REVISION` brings one in"
        : columns([heading, ...rows]),
    data: { extensions },
  };
};
