import {
  type JsonObject,
  type Schema,
  SchemaError,
  canonicalise,
  naturalCompare,
  readSchema,
  constantMember,
} from "@mcpgen/engine";
import { withPlaces } from "../../revision/schema-source.js";
import { buildModel } from "../../model/build-model.js";
import { type Assumption, type Method, type ProtocolModel, withDefinitionNames } from "../../model/model.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { JsonFile } from "../../files/json-file.js";
import { joinedName, joinedWithBase, ownName } from "../canonical/references.js";

/** The messages that an extension's schema describes, without notes. */
export interface OwnModel {
  /** Definitions of the extension and of the base. `joinedName` gives the extension's names in it. */
  readonly schema: Schema;
  /** Methods in natural order of name, with definition names as in the extension's schema. */
  readonly methods: readonly Method[];
  readonly assumptions: readonly Assumption[];
}

/**
 * Reads an extension's schema over a base.
 *
 * @param source the schema's original file, for errors
 * @throws CodedError MG11xx if it cannot be read, MG1304 if the base has a method of the same name
 */
export async function readOwnModel(
  source: Pick<JsonFile, "file" | "text">,
  document: JsonObject,
  base: ProtocolModel,
  baseDocument: JsonObject,
): Promise<OwnModel> {
  const schema = await withPlaces(source, () =>
    withOwnPlaces(() => readSchema(canonicalise(joinedWithBase(document, baseDocument)))),
  );
  refuseClash(source, schema, base);
  const { revision, status } = base;
  const { model } = buildModel({ revision, status, schema });
  const methods = model.methods.filter(({ message }) => ownName(message) !== undefined);
  const names = new Set(methods.map(({ name }) => name));
  return {
    schema,
    methods: methods.map((method) => withDefinitionNames(method, (name) => ownName(name) ?? name)),
    assumptions: model.assumptions
      .filter(({ subject }) => names.has(subject) || ownName(subject) !== undefined)
      .map((assumption) => ({
        ...assumption,
        subject: ownName(assumption.subject) ?? assumption.subject,
        text: assumption.text.replaceAll(joinedName(""), ""),
      })),
  };
}

/** Runs `work`. If it throws, the pointers in the error are made to refer to the extension's own schema. */
function withOwnPlaces<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const { code, pointer, message, candidates } = error;
    const plain = (text: string): string => text.replaceAll(joinedName(""), "");
    throw new SchemaError(code, plain(pointer), plain(message), candidates.map(plain));
  }
}

function refuseClash({ file }: Pick<JsonFile, "file">, schema: Schema, base: ProtocolModel): void {
  const known = new Map(base.methods.map((method) => [method.name, method]));
  const clashes = [...schema.definitions.values()]
    .flatMap(({ name, node }) => {
      const own = ownName(name);
      const method = own === undefined ? undefined : constantMember(schema, node, "method");
      const theirs = method === undefined ? undefined : known.get(method);
      return own !== undefined && theirs ? [{ own, theirs }] : [];
    })
    .sort((a, b) => naturalCompare(a.theirs.name, b.theirs.name));
  const [first] = clashes;
  if (!first) return;
  const { own, theirs } = first;
  const more = clashes.length > 1 ? ` (and ${clashes.length - 1} more methods)` : "";
  throw new CodedError(
    "MG1304",
    `the method ${JSON.stringify(theirs.name)} is that of ${own} here, and that of ${theirs.message} in ${base.revision}${more}`,
    {
      place: { file, pointer: `/$defs/${own}` },
      next: `Leave out --base ${base.revision}, or give the method another name.`,
    },
  );
}
