import { published } from "../../model/published.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";
import { identifiersFor } from "../names.js";

/** `index.ts`: all finished revisions for either role, oldest first. */
export const emitIndex: Emitter<WorkspaceInput> = ({ models, origin, importExtension, render }) => {
  const ids = published(models).map(({ revision }) => revision);
  const latest = ids.at(-1);
  if (latest === undefined) return new Map();
  const identifiers = identifiersFor(ids.flatMap((id) => [`client ${id}`, `server ${id}`]));
  const revisions = ids.map((id) => ({
    id,
    folder: id,
    client: identifiers.get(`client ${id}`)!,
    server: identifiers.get(`server ${id}`)!,
  }));
  return new Map([
    ["index.ts", { content: render("index.ts", { origin, importExtension, revisions, latest }) }],
  ]);
};
