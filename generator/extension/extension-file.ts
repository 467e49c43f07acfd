import { pointer, pointerTokens } from "@mcpgen/engine";
import type { JsonFile } from "../files/json-file.js";
import { type PlaceOf, expectShape } from "../files/json-shape.js";
import type { Role, Status } from "../model/model.js";
import { expectExtensionVersion, extensionId } from "./extension-id.js";
import { extensionShape } from "./extension-shape.js";

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

/**
 * Reads an extension.json.
 *
 * @throws CodedError MG1302 for what is not of the form docs/extensions.md describes, MG1301 for an id or a version
 *   that is not allowed; with line and column
 */
export async function readExtensionFile(source: JsonFile): Promise<ExtensionFile> {
  const placeOf: PlaceOf = async (at) => ({
    file: source.file,
    pointer: at,
    ...(await import("../files/positions.js")).positionOf(source.text, at),
  });
  await expectShape(extensionShape, source.value, {
    unknownKey: "MG1302",
    wrongValue: "MG1302",
    placeOf,
  });
  const written = source.value as unknown as Written;
  const { id, version, status, bases, declared, settings = {}, needs = {} } = written;
  const { channel, description, link } = written;
  extensionId(id, await placeOf(pointer("", "id")));
  for (const [index, needed] of (needs.extensions ?? []).entries())
    extensionId(needed, await placeOf(pointer("/needs/extensions", index)));
  expectExtensionVersion(version, await placeOf(pointer("", "version")));
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
