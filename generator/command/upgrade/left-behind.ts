import { naturalCompare } from "@mcpgen/engine";
import { readExtensionFile } from "../../extension/extension-file.js";
import { type StoredExtension, filesOf, newestExtensions } from "../../extension/extension-store.js";
import { loadJson } from "../../files/json-file.js";
import { counted } from "../../print/counted.js";
import { shellLine } from "../../print/shell-line.js";
import { ownSchemaFolder } from "../../revision/revisions-folder.js";
import type { Project } from "../project.js";
import { shownPath } from "../shown-path.js";
import type { Decision } from "./question.js";

/**
 * Extensions that hold for the revision before, and do not name the new one among their bases: those of the project, and
 * those that mcpgen brings and the project does not store.
 *
 * @throws CodedError for an extension.json that cannot be read
 */
export async function leftBehind(
  revision: string,
  previous: string | undefined,
  { schemaDir }: Pick<Project, "schemaDir">,
  directory: string,
): Promise<Decision[]> {
  if (previous === undefined) return [];
  const own = await withoutBase(newestExtensions(schemaDir), revision, previous);
  const known = new Set(newestExtensions(schemaDir).map(({ id }) => id));
  const brought = newestExtensions(ownSchemaFolder).filter(({ id }) => !known.has(id));
  const shipped = await withoutBase(brought, revision, previous);
  const title = (count: number, of = ""): string =>
    `${counted(count, "extension")} ${of}${count === 1 ? "does" : "do"} not name ${revision} among the bases`;
  const decisions: Decision[] = [
    {
      kind: "extensions",
      title: title(own.length),
      advice: `Where one holds for ${revision}, too, change the bases in its extension.json; then mcpgen generate.`,
      risk: `At ${revision}, servers and clients leave it out without a word`,
      items: own.map(
        ({ file, bases }) => `"bases": ${JSON.stringify(bases)} (${shownPath(file, directory)})`,
      ),
      questions: own.map(({ stored, file, bases }) => ({
        text: `Does ${stored.id} hold for ${revision}, too (${shownPath(file, directory)})?`,
        paste: [[...bases]],
        at: "/bases",
      })),
    },
    {
      kind: "extensions",
      title: title(shipped.length, "that mcpgen brings "),
      advice: `If you use one at ${revision}, wait for a version of mcpgen that has both, or store it yourself.`,
      items: shipped.map(({ stored, bases }) => storing(stored, bases, directory)),
      questions: shipped.map(({ stored, bases }) => ({
        text: `To store ${stored.id}: ${storing(stored, bases, directory)}`,
        paste: [],
        at: "",
      })),
    },
  ];
  return decisions.filter(({ items }) => items.length > 0);
}

interface Left {
  readonly stored: StoredExtension;
  readonly file: string;
  /** With the new revision. */
  readonly bases: readonly string[];
}

async function withoutBase(
  extensions: readonly StoredExtension[],
  revision: string,
  previous: string,
): Promise<Left[]> {
  const left: Left[] = [];
  for (const stored of extensions) {
    const { extension: file } = filesOf(stored);
    const { bases } = await readExtensionFile(await loadJson(file));
    if (bases.includes(previous) && !bases.includes(revision))
      left.push({ stored, file, bases: [...bases, revision].sort(naturalCompare) });
  }
  return left;
}

/** The command that stores an extension of mcpgen in the project. */
function storing(stored: StoredExtension, bases: readonly string[], directory: string): string {
  const { schema, notes } = filesOf(stored);
  return shellLine([
    ...["mcpgen", "extension", "add", shownPath(schema, directory)],
    ...["--id", stored.id, "--version", stored.version],
    ...bases.flatMap((base) => ["--base", base]),
    ...(notes === undefined ? [] : ["--notes", shownPath(notes, directory)]),
  ]);
}
