import { published } from "../../model/published.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";
import { arrayLayout, printAt, stringsLayout } from "../code-layout.js";
import { identifiersFor } from "../names.js";
import type { Layout } from "../layout.js";

/** `index.ts`: all finished revisions for either role, oldest first. */
export const emitIndex: Emitter<WorkspaceInput> = ({ models, origin, importExtension, render }) => {
  const ids = published(models).map(({ revision }) => revision);
  const latest = ids.at(-1);
  if (latest === undefined) return new Map();
  const names = identifiersFor(ids.flatMap((id) => [`client ${id}`, `server ${id}`]));
  const revisions = ids.map((id) => ({
    folder: id,
    client: names.get(`client ${id}`)!,
    server: names.get(`server ${id}`)!,
  }));
  const clients = arrayLayout(revisions.map(({ client }) => client));
  const servers = arrayLayout(revisions.map(({ server }) => server));
  const content = render("index.ts", {
    origin,
    importExtension,
    revisions,
    clients: declared('export const clientRevisions: readonly Revision<"client">[] =', clients),
    servers: declared('export const serverRevisions: readonly Revision<"server">[] =', servers),
    ids: declared("export const revisionIds =", [stringsLayout(ids), " as const"]),
    latest,
  });
  return new Map([["index.ts", { content, formatted: true }]]);
};

/** A declaration, laid out as a whole. */
function declared(head: string, value: Layout): string {
  return printAt(0, [head, " ", value, ";"]);
}
