import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Finding } from "../../diagnostics/finding.js";
import type { Reading } from "../../page/reading.js";
import { revisionReading } from "../../page/reference/reading.js";
import { kindOfSource, readSource, sourceName } from "../../files/source.js";
import type { ProtocolModel } from "../../model/model.js";
import { loadDocumentation, undocumented } from "../../revision/documentation.js";
import { readLock } from "../../revision/lock.js";
import { revisionsFolder } from "../../revision/revisions-folder.js";
import { loadRevision, storedRevision } from "../../revision/revision-source.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { unknownSource } from "../diff/source.js";
import type { Project } from "../project.js";

/** What a SOURCE documents. */
interface Documented {
  readonly reading: Reading;
  /** The name of its file, without extension. */
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** Reads the SOURCE of `docs`: a revision by name, or a schema file. */
export async function documentedSource(
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Documented> {
  const name = args.required("source");
  const schemaDir = revisionsFolder(project.schemaDir);
  const lock = readLock(schemaDir);
  const model = lock.has(name)
    ? await storedModel(schemaDir, name)
    : await modelOfFile(name, schemaDir, context);
  const known = await Promise.all(
    [...lock.keys()].filter((each) => each !== name).map((each) => storedModel(schemaDir, each)),
  );
  const all = lock.has(name) ? [...known, model].sort((a, b) => (a.revision < b.revision ? -1 : 1)) : [];
  return { reading: revisionReading(model, all), name: fileName(model.revision), findings: [] };
}

async function storedModel(schemaDir: string, revision: string): Promise<ProtocolModel> {
  const { status } = readLock(schemaDir).get(revision)!;
  const source = storedRevision(schemaDir, revision, status, true);
  return (await loadRevision(source, await loadDocumentation(schemaDir))).model;
}

async function modelOfFile(name: string, schemaDir: string, context: CommandContext): Promise<ProtocolModel> {
  if (kindOfSource(name) === "file" && !existsSync(resolve(context.directory, name)))
    throw unknownSource(name, schemaDir);
  const file = await readSource(name, context);
  const revision = sourceName(name);
  const source = { revision, status: "draft" as const, schemaFile: file.file, read: { schema: file } };
  return (await loadRevision(source, undocumented)).model;
}

/** A name as one part of a path. */
function fileName(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+/, "")
    .slice(0, 80);
  return plain === "" ? "reference" : plain;
}
