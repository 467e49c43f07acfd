import type { ProtocolModel } from "./model.js";

/** The models that stand for the protocol as it is: those of finished revisions, or all where none is finished. */
export function published(models: readonly ProtocolModel[]): readonly ProtocolModel[] {
  const finished = models.filter(({ status }) => status !== "draft");
  return finished.length > 0 ? finished : models;
}
