import { openProject } from "./project.js";
import { readLock, readVocabulary, vocabularyIn } from "../revision/lock.js";
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
  const pinned = readVocabulary(schemaDir, lock);
  const vocabulary = vocabularyIn({ revisions: lock, vocabulary: pinned });
  const source = pinned === undefined ? "the newest released revision; not pinned" : "pinned";
  const released = [...releasedRevisions().keys()];
  const heading = ["revision", "status", "dialect", "upstream", "commit"];
  return {
    text:
      rows.length === 0
        ? `no revisions; \`mcpgen revision add ${released.at(-1)}\` brings one in, of ${released.join(", ")}; FILE, another`
        : `${columns([heading, ...rows])}\n\nvocabulary: ${vocabulary} (${source})`,
    data: {
      revisions: Object.fromEntries(lock),
      ...(vocabulary !== undefined && { vocabulary, pinned: pinned !== undefined }),
    },
  };
};
