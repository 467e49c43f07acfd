import { naturalCompare } from "@mcpgen/engine";
import type { Status } from "./model.js";

/** What is known of a revision, as far as its place among others depends on it. */
interface Dated {
  readonly revision: string;
  readonly status: Status;
}

/** The models of the protocol as released: those of finished revisions, or all if none is finished. */
export function published<Model extends Pick<Dated, "status">>(models: readonly Model[]): readonly Model[] {
  const finished = models.filter(({ status }) => status !== "draft");
  return finished.length > 0 ? finished : models;
}

/**
 * The model that handlers write and clients read: that of the pinned revision. Where that is not among them, the nearest
 * older one takes its place, and the oldest where all are newer: steps lead there from all others.
 *
 * @param models oldest first
 * @param pinned id of a revision; without it, the newest that is released
 */
export function vocabularyOf<Model extends Dated>(
  models: readonly Model[],
  pinned: string | undefined,
): Model | undefined {
  const finished = published(models);
  if (pinned === undefined) return finished.at(-1);
  return finished.findLast(({ revision }) => naturalCompare(revision, pinned) <= 0) ?? finished[0];
}
