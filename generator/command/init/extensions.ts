import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CodedError } from "../../diagnostics/coded-error.js";
import { nameAdvice } from "../../diagnostics/suggest.js";
import {
  type StoredExtension,
  extensionFile,
  extensionKey,
  extensionsFolder,
  filesOf,
  newestExtensions,
  storedExtensions,
} from "../../extension/extension-store.js";
import { manifestFile, manifestText } from "../../files/plan.js";
import { sha256, readRegularText } from "../../files/regular-file.js";
import type { ProjectExtension } from "../../init/extension-files.js";
import { protocolFolder } from "../../init/project.js";
import { generateFiles } from "../../pipeline/generate.js";
import {
  type LockedExtension,
  lockFile,
  lockText,
  readExtensionLock,
  ownSchemaFolder,
  protocolPackage,
  usesOwnRevisions,
} from "../../revision/lock.js";
import type { Arguments, CommandContext } from "../command.js";
import { compareWithOutput } from "../comparison.js";
import { extensionsAlone, openProject } from "../project.js";
import { shownPath } from "../../print/terminal-text.js";

/** The extensions of a new server, and the files that come with them. */
export interface ProjectExtensions {
  readonly extensions: readonly ProjectExtension[];
  /** Files of the author's extensions for the schema folder, by path below the project. */
  readonly stored: ReadonlyMap<string, string>;
  /** Generated code, by path below the project. */
  readonly generated: ReadonlyMap<string, string>;
}

/**
 * Finds the extensions that `--extension` names. Each is a folder with an extension.json, or comes from the
 * new project's schema folder, the schema folder where the command runs, or `@mcpgen/protocol`.
 *
 * @param folder folder of the new project
 * @param speaks revisions that the server supports; default: all
 * @throws CodedError MG1306 for an unknown extension, MG2005 if the server supports none of its bases or the
 * project's schema folder has conflicting content
 */
export async function projectExtensions(
  args: Arguments,
  context: CommandContext,
  folder: string,
  speaks: readonly string[] | undefined,
): Promise<ProjectExtensions> {
  const wanted = [...new Set(args.strings("extension") ?? [])];
  if (wanted.length === 0) return { extensions: [], stored: new Map(), generated: new Map() };
  const { schemaDir } = await openProject(args, context);
  const own = join(folder, "schema");
  const found = wanted.map((name) => find(name, [...new Set([own, schemaDir])], context.directory));
  const published = found.filter(({ folder: at }) => at.startsWith(ownSchemaFolder + "/"));
  const others = found.filter((one) => !published.includes(one));
  const stored = others.length > 0 ? storedFiles(others, own, context.directory) : new Map<string, string>();
  const all = others.length > 0 ? together(others, own) : [];
  const extensions = [
    ...(await loaded(others, (id) => `./${protocolFolder.slice("src/".length)}/extensions/${id}`)),
    ...(await loaded(published, (id) => `${protocolPackage}/extensions/${id}`)),
  ];
  for (const { models } of extensions) refuseUnspoken(models, speaks);
  return { extensions, stored, generated: await generatedFiles(all, folder) };
}

/** Finds a stored extension by folder, by id (the newest version), or by id and version. */
function find(name: string, schemaDirs: readonly string[], directory: string): StoredExtension {
  const path = resolve(directory, name);
  if (existsSync(join(path, extensionFile)) && statSync(path).isDirectory()) {
    const [version, last, prefix] = [path, dirname(path), dirname(dirname(path))].map((one) => basename(one));
    return { id: `${prefix}/${last}`, version: version!, folder: path };
  }
  const everywhere = [...schemaDirs, ownSchemaFolder];
  for (const schemaDir of everywhere) {
    const found =
      newestExtensions(schemaDir).find(({ id }) => id === name) ??
      storedExtensions(schemaDir).find((one) => extensionKey(one) === name);
    if (found) return found;
  }
  const known = everywhere.flatMap((schemaDir) => storedExtensions(schemaDir).map(({ id }) => id));
  const add = `Bring it in first: \`mcpgen extension add FILE --id ${name.includes("/") ? name : "com.example/NAME"}\``;
  throw new CodedError("MG1306", `there is no extension ${JSON.stringify(name)}`, {
    place: { file: shownPath(schemaDirs.at(-1)!, directory) },
    next: `${add}. ${nameAdvice(name, known, `Or name a folder that holds ${extensionFile}.`)}`,
  });
}

/** The files that the project's schema folder lacks for the extensions, including a lock. */
function storedFiles(
  extensions: readonly StoredExtension[],
  schemaDir: string,
  directory: string,
): Map<string, string> {
  if (!usesOwnRevisions(schemaDir))
    throw new CodedError(
      "MG2005",
      "the schema folder of the project has revisions, and --extension generates over those of mcpgen",
      {
        place: { file: shownPath(schemaDir, directory) },
        next: "Name another folder for the project, or remove the option.",
      },
    );
  const missing = extensions.filter(({ folder }) => !folder.startsWith(schemaDir + "/"));
  if (missing.length === 0) return new Map();
  if (existsSync(join(schemaDir, lockFile)))
    throw new CodedError("MG2005", `the schema folder of the project has no ${extensionKey(missing[0]!)}`, {
      place: { file: shownPath(schemaDir, directory) },
      next: `Run there: \`mcpgen extension add FILE --id ${missing[0]!.id}\`.`,
    });
  const files = missing.flatMap((one) =>
    Object.values(filesOf(one)).map(
      (file) => [`${within(one)}/${basename(file)}`, readRegularText(file)] as const,
    ),
  );
  const lock = new Map(missing.map((one) => [extensionKey(one), lockedAs(one)]));
  return new Map([...files, [`schema/${lockFile}`, lockText({ revisions: new Map(), extensions: lock })]]);
}

function within({ id, version }: StoredExtension): string {
  return `schema/${extensionsFolder}/${id}/${version}`;
}

/** The lock entry of an extension: from the schema folder that contains it, else a new entry. */
function lockedAs(stored: StoredExtension): LockedExtension {
  const around = resolve(stored.folder, "../../../..");
  const known = existsSync(join(around, lockFile)) && readExtensionLock(around).get(extensionKey(stored));
  if (known) return known;
  const { extension, schema } = filesOf(stored);
  const { status } = JSON.parse(readRegularText(extension)) as Pick<LockedExtension, "status">;
  return { status, canonical: sha256(readRegularText(schema)) };
}

/** The newest version of each extension in the project's future schema folder. */
function together(wanted: readonly StoredExtension[], schemaDir: string): StoredExtension[] {
  const ids = new Set(wanted.map(({ id }) => id));
  return [...newestExtensions(schemaDir).filter(({ id }) => !ids.has(id)), ...wanted].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}

async function loaded(
  extensions: readonly StoredExtension[],
  modulesOf: (id: string) => string,
): Promise<ProjectExtension[]> {
  if (extensions.length === 0) return [];
  const request = extensionsAlone(extensions);
  const { extensions: read } = await generateFiles({ ...request, only: ["extension"] });
  return read.map(({ source, models }) => ({
    models,
    vocabulary: request.vocabulary,
    modules: modulesOf(source.about.id),
    needs: source.about.needs.capabilities,
  }));
}

function refuseUnspoken(models: ProjectExtension["models"], speaks: readonly string[] | undefined): void {
  const bases = models.map(({ revision }) => revision);
  if (speaks === undefined || bases.some((base) => speaks.includes(base))) return;
  throw new CodedError(
    "MG2005",
    `${models[0]!.id} extends ${bases.join(", ")}, none of which --revision names`,
    {
      next: `Add --revision ${bases.at(-1)}, or leave --revision out.`,
    },
  );
}

/** The output of `mcpgen generate` for the extensions, with its manifest. */
async function generatedFiles(
  extensions: readonly StoredExtension[],
  folder: string,
): Promise<Map<string, string>> {
  if (extensions.length === 0) return new Map();
  const request = extensionsAlone(extensions);
  const options = { importExtension: "js", notes: true, basePackage: protocolPackage };
  const { generated, manifest } = await compareWithOutput(
    { request, options, partial: false },
    join(folder, protocolFolder),
    { generator: undefined, key: "", setup: "", cacheFile: undefined, cached: undefined },
    { ignoreManifest: true },
  );
  return new Map(
    [...generated.files, [manifestFile, manifestText(manifest)] as const].map(([path, content]) => [
      `${protocolFolder}/${path}`,
      content,
    ]),
  );
}
