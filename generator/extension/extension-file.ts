import { atPointer, pointer, pointerTokens } from "@mcpgen/engine";
import { type PlaceOf, placesIn, refuseFaults, FileForm } from "../files/file-form.js";
import type { JsonFile } from "../files/json-file.js";
import type { Role, Status } from "../model/model.js";
import { type Place, CodedError } from "../diagnostics/coded-error.js";

/** A label of a prefix: it begins with a letter and ends with a letter or digit. */
const label = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";

/** The name after the prefix: it begins and ends with a letter or digit. */
const name = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";

/** The prefix of official extensions (SEP-2133, Official Extensions). */
const official = "io.modelcontextprotocol";

/** Reserved labels at the second place of a prefix that is not the official one. */
const reserved = "(?!io\\.modelcontextprotocol/)[^./]*\\.(?:mcp|modelcontextprotocol)[./]";

/** The ids that the specification allows (2026-07-28, basic, `_meta`; SEP-2133: the prefix is mandatory). */
export const idPattern = `^(?!${reserved})${label}(?:\\.${label})*/${name}$`;

/** Versions name folders. */
export const versionPattern = "^[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,62}[A-Za-z0-9])?$";

/** Names that Windows keeps for devices, with any ending. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The two parts of an extension's id, which name its folders. */
interface ExtensionId {
  readonly prefix: string;
  readonly name: string;
}

/**
 * Splits an id such as `com.example/search`.
 *
 * @param place where the id is written
 * @throws CodedError MG1301 for an id that the specification does not allow, or that cannot name folders
 */
export function extensionId(id: string, place: Place = {}): ExtensionId {
  refuse(id, faultOf(id) ?? folderFaultOf(id), place);
  const [prefix, last] = id.split("/") as [string, string];
  return { prefix, name: last };
}

/**
 * Checks an id that is declared, and names no folder.
 *
 * @param place where the id is written
 * @throws CodedError MG1301 for an id that the specification does not allow
 */
export function expectExtensionId(id: string, place: Place): void {
  refuse(id, faultOf(id), place);
}

function refuse(id: string, fault: string | undefined, place: Place): void {
  if (fault === undefined) return;
  throw new CodedError("MG1301", `${JSON.stringify(id)} is no id of an extension: ${fault}`, {
    ...(Object.keys(place).length > 0 && { place }),
    next: `Write the domain that you own, reversed, and a name: ${nearestId(id)}.`,
  });
}

/** The id most like `id`; an example where it has no prefix that could stay. */
function nearestId(id: string): string {
  const words = id.split("/").map((word) => word.replace(/[^A-Za-z0-9._-]+/g, "-"));
  const name = words.findLast((word) => /[A-Za-z0-9]/.test(word))?.replace(/^[._-]+|[._-]+$/g, "");
  const labels = words.slice(0, -1).flatMap((word) => word.split(/[._]+/));
  const prefix = labels.map((word) => word.replace(/^[^A-Za-z]+|-+$/g, "")).filter((word) => word !== "");
  const near = `${prefix.length > 0 ? prefix.join(".") : "com.example"}/${name ?? "search"}`;
  const other = `com.example/${name ?? "search"}`;
  return (
    [near, other].find((one) => (faultOf(one) ?? folderFaultOf(one)) === undefined) ?? "com.example/search"
  );
}

/** Why an id that the specification allows cannot name folders. */
function folderFaultOf(id: string): string | undefined {
  const folder = id.split("/").find((one) => device.test(one));
  return folder === undefined ? undefined : `no folder can be called ${folder} on Windows`;
}

function faultOf(id: string): string | undefined {
  const [prefix, last, ...rest] = id.split("/");
  if (last === undefined) return "it has no prefix, which ends with a slash";
  if (rest.length > 0) return "it has more than one slash";
  const labels = prefix!.split(".");
  const wrong = labels.find((one) => !new RegExp(`^${label}$`).test(one));
  if (wrong !== undefined)
    return `expected the label ${JSON.stringify(wrong)} to begin with a letter, to end with a letter or digit, and to have letters, digits and hyphens between`;
  if (!new RegExp(`^${name}$`).test(last))
    return `expected the name ${JSON.stringify(last)} to begin and end with a letter or digit, and to have letters, digits, hyphens, underscores and dots between`;
  if (prefix !== official && (labels[1] === "mcp" || labels[1] === "modelcontextprotocol"))
    return `prefixes whose second label is ${labels[1]} are reserved for the protocol`;
  return undefined;
}

/**
 * The version of an extension, as a folder is called.
 *
 * @throws CodedError MG1301 for a version that cannot name a folder
 */
export function expectExtensionVersion(version: string, place: Place = {}): string {
  if (new RegExp(versionPattern).test(version) && !device.test(version)) return version;
  throw new CodedError("MG1301", `${JSON.stringify(version)} is no version of an extension`, {
    ...(Object.keys(place).length > 0 && { place }),
    next: "Use letters, digits, dots and hyphens, e.g. 2026-07-28 or 1.2.0.",
  });
}

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
interface ChannelFacts {
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

const form = new FileForm("extension", { unknownKey: "MG1302", wrongValue: "MG1302" });

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
