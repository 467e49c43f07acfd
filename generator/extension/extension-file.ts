import { atPointer, pointer, pointerTokens } from "@mcpgen/engine";
import { type PlaceOf, placesIn, refuseFaults } from "../files/fault.js";
import { FileForm } from "../files/file-form.js";
import type { JsonFile } from "../files/json-file.js";
import type { Role, Status } from "../model/model.js";
import { expectExtensionVersion, extensionId } from "./extension-id.js";
import { extensionSchema } from "./extension-schema.js";

type OfEachSide<Value> = { readonly [Side in Role]?: Value };

/** The content of extension.json. */
export interface ExtensionFile {
  /** As the sides declare it, e.g. `com.example/search`. */
  readonly id: string;
  readonly version: string;
  readonly status: Status;
  /** Ids of revisions, as the file lists them. */
  readonly bases: readonly string[];
  /** JSON Pointer into the capabilities of a side; absent if the side declares nothing. */
  readonly declared: OfEachSide<string>;
  /** Name of the definition of a side's settings. */
  readonly settings: OfEachSide<string>;
  readonly needs: {
    /** JSON Pointers into the capabilities of a server. */
    readonly capabilities: readonly string[];
    /** Ids of extensions. */
    readonly extensions: readonly string[];
  };
  readonly channel?: ChannelFacts;
  readonly description?: string;
  /** The place of its specification. */
  readonly link?: string;
}

/** A second channel: who takes part in it, and the methods that open it. */
export interface ChannelFacts {
  readonly roles: readonly string[];
  readonly handshake: { readonly request: string; readonly confirmation?: string };
}

/** An extension file as it is written. */
interface Written {
  readonly id: string;
  readonly version: string;
  readonly status: Status;
  readonly bases: readonly string[];
  readonly declared: OfEachSide<string | null>;
  readonly settings?: OfEachSide<string | null>;
  readonly needs?: { readonly capabilities?: readonly string[]; readonly extensions?: readonly string[] };
  readonly channel?: ChannelFacts;
  readonly description?: string;
  readonly link?: string;
}

const form = new FileForm(extensionSchema, { unknownKey: "MG1302", wrongValue: "MG1302" });

/**
 * Reads an extension.json.
 *
 * @throws CodedError MG1302 for what is not of the form docs/extensions.md describes, MG1301 for an id or a version
 *   that is not allowed; with line and column
 */
export async function readExtensionFile(source: JsonFile): Promise<ExtensionFile> {
  const placeOf = placesIn(source);
  await refuseNames(source, placeOf);
  await refuseFaults(form.faults(source.value), placeOf);
  const written = source.value as unknown as Written;
  const { id, version, status, bases, declared, settings = {}, needs = {} } = written;
  const { channel, description, link } = written;
  return {
    id,
    version,
    status,
    bases,
    declared: given(declared),
    settings: given(settings, (reference) => pointerTokens(reference).at(-1)!),
    needs: { capabilities: needs.capabilities ?? [], extensions: needs.extensions ?? [] },
    ...(channel && { channel }),
    ...(description !== undefined && { description }),
    ...(link !== undefined && { link }),
  };
}

/**
 * Ids and versions name folders, and say what is wrong with them: more than that they do not match a pattern.
 *
 * @throws CodedError MG1301
 */
async function refuseNames({ value }: JsonFile, placeOf: PlaceOf): Promise<void> {
  const version = atPointer(value, "/version");
  const extensions = atPointer(value, "/needs/extensions");
  const ids = [
    "/id",
    ...(Array.isArray(extensions) ? extensions : []).map((_, index) => pointer("/needs/extensions", index)),
  ];
  for (const at of ids) {
    const id = atPointer(value, at);
    if (typeof id === "string") extensionId(id, await placeOf(at));
  }
  if (typeof version === "string") expectExtensionVersion(version, await placeOf("/version"));
}

function given(
  sides: OfEachSide<string | null>,
  read: (value: string) => string = (value) => value,
): OfEachSide<string> {
  return Object.fromEntries(
    (["client", "server"] as const).flatMap((side) => {
      const value = sides[side] ?? null;
      return value === null ? [] : [[side, read(value)]];
    }),
  );
}
