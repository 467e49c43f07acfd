import { openProject } from "./project.js";
import { readLock } from "../revision/lock.js";
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
  const heading = ["revision", "status", "dialect", "upstream", "commit"];
  return {
    text:
      rows.length === 0
        ? "no revisions; `mcpgen revision add FILE` brings one in"
        : columns([heading, ...rows]),
    data: { revisions: Object.fromEntries(lock) },
  };
};
