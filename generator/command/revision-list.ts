import { openProject } from "./project.js";
import { readLock } from "../revision/lock.js";
import { releasedRevisions } from "../revision/revisions-folder.js";
import type { RunCommand } from "./context.js";
import { columns } from "./columns.js";

export const revisionList: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const lock = readLock(schemaDir);
  const rows = [...lock].map(([revision, { status, dialect, upstream }]) => [
    revision,
    status,
    dialect,
    upstream.date ?? "",
    upstream.commit?.slice(0, 12) ?? "",
  ]);
  const released = [...releasedRevisions().keys()];
  const heading = ["revision", "status", "dialect", "upstream", "commit"];
  return {
    text:
      rows.length === 0
        ? `no revisions; \`mcpgen revision add ${released.at(-1)}\` brings one in, of ${released.join(", ")}; FILE, another`
        : columns([heading, ...rows]),
    data: { revisions: Object.fromEntries(lock) },
  };
};
