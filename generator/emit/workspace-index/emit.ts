import type { Role } from "../../model/model.js";
import { published } from "../../model/published.js";
import type { Emitter, WorkspaceInput } from "../emitter.js";
import type { EmittedFile } from "../../print/emitted-file.js";
import { arrayLayout, laidOut, printAt, stringsLayout } from "../../print/code-layout.js";
import { stringLiteral } from "../../print/text.js";
import { identifiersFor } from "../../print/names.js";
import type { Layout } from "../../print/layout.js";

/**
 * `client.ts` and `server.ts`, all finished revisions for either role, oldest first; `index.ts` over both; and
 * `explained.ts`, which gives revisions their `check`.
 */
export const emitIndex: Emitter<WorkspaceInput> = ({ models, origin, importExtension, render }) => {
  const ids = published(models).map(({ revision }) => revision);
  const latest = ids.at(-1);
  if (latest === undefined) return new Map();
  const index = render("index.ts", {
    origin,
    importExtension,
    ids: declared("export const revisionIds =", [stringsLayout(ids), " as const"]),
    latest,
  });
  const modules = (["client", "server"] as const).map((role) => {
    const content = render("revisions.ts", { origin, importExtension, role, ...listOf(ids, role) });
    return [`${role}.ts`, { content, formatted: true }] as const;
  });
  const all = models.map(({ revision }) => revision);
  const explained = render("explained.ts", {
    ...{ origin, importExtension, ids: all },
    checks: checksOf(all, importExtension),
  });
  return new Map<string, EmittedFile>([
    ["index.ts", { content: index, formatted: true }],
    ["explained.ts", laidOut(explained)],
    ...modules,
  ]);
};

/** The end of the declaration that names the function that loads the checks of each revision. */
function checksOf(ids: readonly string[], extension: string): string {
  const entries = ids.map((id) => `[${stringLiteral(id)}, () => import("./${id}/check.${extension}")]`);
  return printAt(0, [">(", arrayLayout(entries, true), ");"]);
}

/** The imports of the module of one role, and the list made of them. */
function listOf(ids: readonly string[], role: Role): object {
  const names = identifiersFor(ids.map((id) => `revision ${id}`));
  const revisions = ids.map((id) => ({ folder: id, name: names.get(`revision ${id}`)! }));
  const list = arrayLayout(revisions.map(({ name }) => name));
  return {
    revisions,
    list: declared(`export const ${role}Revisions: readonly Revision<"${role}">[] =`, list),
  };
}

/** A declaration, laid out as a whole. */
function declared(head: string, value: Layout): string {
  return printAt(0, [head, " ", value, ";"]);
}
