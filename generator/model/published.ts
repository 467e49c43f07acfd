import type { ProtocolModel } from "./model.js";

/** The models of the protocol as released: those of finished revisions, or all if none is finished. */
export function published(models: readonly ProtocolModel[]): readonly ProtocolModel[] {
  const finished = models.filter(({ status }) => status !== "draft");
  return finished.length > 0 ? finished : models;
}
