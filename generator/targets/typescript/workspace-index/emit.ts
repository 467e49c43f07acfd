import { type Role, published } from "../../../model/model.js";
import { type Emitter, type WorkspaceInput, type WholeExtensionInput, sharedModule } from "../emitter.js";
import type { EmittedFile } from "../../../print/emitted-file.js";
import {
  arrayLayout,
  laidOut,
  memberLine,
  objectLayout,
  printAt,
  stringsLayout,
} from "../../../print/code-layout.js";
import { stringLiteral, identifiersFor } from "../../../print/text.js";
import type { Layout } from "../../../print/layout.js";

/**
 * Emits four modules: `client.ts` and `server.ts` list all released revisions for one role, oldest first;
 * `index.ts` exports both; `explained.ts` adds `explain` and `sends` to revisions.
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
    ...{ origin, importExtension, isExtension: false, revisions: namesOf(all) },
  });
  return new Map<string, EmittedFile>([
    ["index.ts", { content: index, formatted: true }],
    ["explained.ts", laidOut(explained)],
    ...modules,
  ]);
};

/** Emits `explained.ts` of an extension: the function that adds `explain` and `sends` to it. */
export const emitExtensionExplained: Emitter<WholeExtensionInput> = (input) => {
  const { models, folder, origin, importExtension, render } = input;
  const bases = models.map(({ revision }) => revision);
  const content = render("explained.ts", {
    ...{ origin, importExtension, isExtension: true, revisions: namesOf(bases, "base") },
    modules: { extending: sharedModule(input, "extending"), model: sharedModule(input, "model") },
  });
  return new Map([[`${folder}/explained.ts`, laidOut(content)]]);
};

/** The imports of a role's module, and the list made of them. */
function listOf(ids: readonly string[], role: Role): object {
  const revisions = namesOf(ids);
  const list = arrayLayout(revisions.map(({ name }) => name));
  return {
    revisions,
    list: declared(`export const ${role}Revisions: readonly Revision<"${role}">[] =`, list),
  };
}

interface RevisionView {
  readonly folder: string;
  readonly name: string;
  readonly key: string;
  /** The property with the exact definitions of both roles. */
  readonly sends: string;
}

/** For each revision: an identifier that begins with `word`, its folder, and its id as a literal. */
function namesOf(ids: readonly string[], word = "revision"): RevisionView[] {
  const names = identifiersFor(ids.map((id) => `${word} ${id}`));
  return ids.map((id) => {
    const name = names.get(`${word} ${id}`)!;
    const sends = objectLayout((["client", "server"] as const).map((role) => [role, `${name}.${role}Sends`]));
    return { folder: id, name, key: stringLiteral(id), sends: memberLine(3, "sends", sends) };
  });
}

/** A declaration, laid out as one unit. */
function declared(head: string, value: Layout): string {
  return printAt(0, [head, " ", value, ";"]);
}
