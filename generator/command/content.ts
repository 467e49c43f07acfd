import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { WriteRoot } from "../files/held-folder.js";
import { parsedText } from "../files/json-file.js";
import { writeFiles } from "../files/writer.js";
import type { Arguments, CommandContext } from "./command.js";
import { shownPath } from "../print/terminal-text.js";

/** A part of a result, and the file that it was saved to. */
export interface Saved {
  readonly piece: Piece;
  /** The path as messages show it. */
  readonly file: string;
}

/**
 * Checks before the request that `--output` does not name an existing file. In a folder, new files get names
 * that are free.
 *
 * @throws CodedError MG6310
 */
export function expectFree(args: Arguments, { directory }: CommandContext): void {
  const output = args.string("output");
  if (output === undefined || args.flag("replace")) return;
  const path = resolve(directory, output);
  if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)) return;
  throw new CodedError("MG6310", "the file already exists", {
    place: { file: shownPath(path, directory) },
    next: "Name another file or a folder, or repeat with --replace.",
  });
}

/**
 * Writes parts of a result to `--output`: one file each in a folder, or a single part to a file.
 *
 * @returns an empty list without the option
 * @throws CodedError MG3002 if a link has the file's name, MG2004 for several parts and one file
 */
export function savePieces(pieces: readonly Piece[], args: Arguments, context: CommandContext): Saved[] {
  const output = args.string("output");
  if (output === undefined) return [];
  const path = resolve(context.directory, output);
  const isFolder =
    /[/\\]$/.test(output) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
  if (!isFolder && pieces.length !== 1) throw notOne(pieces.length, output);
  const isTaken = (name: string): boolean => !args.flag("replace") && existsSync(join(path, name));
  const names = isFolder ? fileNames(pieces, isTaken) : [];
  const files = pieces.map((_, index) => (isFolder ? join(path, names[index]!) : path));
  const shown = files.map((file) => shownPath(file, context.directory));
  writeFiles(
    WriteRoot.named(isFolder ? path : dirname(path), context.directory),
    files.map((file, index) => ({ path: basename(file), content: pieces[index]!.bytes })),
  );
  return pieces.map((piece, index) => ({ piece, file: shown[index]! }));
}

/** The text of a result, as a part to save if the result has no image, audio or blob. */
export function textPiece(name: string, text: string): Piece {
  return { name, mimeType: "text/plain", bytes: Buffer.from(text), holder: textPiece.holder, member: "text" };
}

textPiece.holder = {} as JsonObject;

function notOne(count: number, output: string): CodedError {
  return new CodedError(
    "MG2004",
    count === 0
      ? "there is nothing that --output could save"
      : `--output names one file, and there are ${count} to save`,
    {
      next: count === 0 ? "Leave --output out." : `Name a folder: --output ${output}/.`,
    },
  );
}

/**
 * Unique file names for the parts. A URI of the server contributes only a name, never a folder or a leading
 * dot.
 */
function fileNames(pieces: readonly Piece[], isTaken: (name: string) => boolean): string[] {
  const taken = new Set<string>();
  return pieces.map((piece, index) => {
    const plain = (piece.name ?? "")
      .replace(/[^\w.-]+/g, "-")
      .replace(/^[.-]+|[.-]+$/g, "")
      .slice(0, 80);
    const stem = plain === "" ? `content-${index + 1}` : plain;
    const whole = /\.\w+$/.test(stem) ? stem : `${stem}.${extensionOf(piece)}`;
    let name = whole;
    // File systems may ignore case.
    for (let number = 2; taken.has(name.toLowerCase()) || isTaken(name); number++)
      name = whole.replace(/(\.\w+)$/, `-${number}$1`);
    taken.add(name.toLowerCase());
    return name;
  });
}

/** File extensions for media types whose subtype is not the extension. */
const extensions = new Map([
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
  ["audio/mp4", "m4a"],
  ["text/plain", "txt"],
  ["text/markdown", "md"],
  ["text/javascript", "js"],
  ["application/octet-stream", "bin"],
  ["application/gzip", "gz"],
]);

function extensionOf({ mimeType, member }: Piece): string {
  const type = mimeType?.toLowerCase().split(";")[0]!.trim();
  const known = type === undefined ? undefined : extensions.get(type);
  if (known !== undefined) return known;
  const subtype = /^[\w.+-]+\/(?:[\w.-]+\+)?([a-z0-9]{1,8})$/.exec(type ?? "")?.[1];
  return subtype ?? (member === "text" ? "txt" : "bin");
}

/** A part of a result that is saved as a file: an image, a sound, the content of a resource. */
interface Piece {
  /** Name of the content, if the server gives one. */
  readonly name: string | undefined;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
  /** The object of the result that contains it. */
  readonly holder: JsonObject;
  /** The property of `holder` with the content. */
  readonly member: "data" | "blob" | "text";
}

/** Images, audio and blobs among the content blocks of a tool result or a prompt. */
export function binaryPieces(blocks: readonly JsonValue[]): Piece[] {
  return blocks.flatMap((block) => {
    if (!isJsonObject(block)) return [];
    const { type, data, resource } = block;
    if ((type === "image" || type === "audio") && typeof data === "string")
      return [pieceOf(block, "data", undefined)];
    if (type !== "resource" || !isJsonObject(resource) || typeof resource["blob"] !== "string") return [];
    return [pieceOf(resource, "blob", nameOf(resource["uri"]))];
  });
}

/** The contents of a resource: texts and blobs. */
export function resourcePieces(contents: readonly JsonValue[]): Piece[] {
  return contents.flatMap((content) => {
    if (!isJsonObject(content)) return [];
    const name = nameOf(content["uri"]);
    if (typeof content["blob"] === "string") return [pieceOf(content, "blob", name)];
    return typeof content["text"] === "string" ? [pieceOf(content, "text", name)] : [];
  });
}

function pieceOf(holder: JsonObject, member: Piece["member"], name: string | undefined): Piece {
  const { mimeType } = holder;
  return {
    name,
    mimeType: typeof mimeType === "string" ? mimeType : undefined,
    bytes: Buffer.from(String(holder[member]), member === "text" ? "utf8" : "base64"),
    holder,
    member,
  };
}

/** The last part of a URI's path. */
function nameOf(uri: JsonValue | undefined): string | undefined {
  if (typeof uri !== "string") return undefined;
  return uri
    .replace(/[?#][^]*$/, "")
    .split("/")
    .at(-1);
}

/** A tool result as text: its content blocks, then the structured content unless a text block repeats it. */
export function resultText(result: JsonObject, saved: readonly Saved[] = []): string {
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const blocks = content.map((block) => contentText(block, saved));
  const structured = result["structuredContent"];
  if (structured !== undefined && !content.some((block) => repeats(block, structured)))
    blocks.push(JSON.stringify(structured, null, 2));
  return blocks.join("\n");
}

/** Servers repeat structured content as text for clients that do not know it (2025-11-25, server/tools). */
function repeats(block: JsonValue, structured: JsonValue): boolean {
  if (!isJsonObject(block) || typeof block["text"] !== "string") return false;
  return JSON.stringify(parsedText(block["text"])) === JSON.stringify(structured);
}

/** One content block as text. For binary content: its size and the file that it was saved to. */
export function contentText(block: JsonValue, saved: readonly Saved[] = []): string {
  if (!isJsonObject(block)) return JSON.stringify(block);
  const { type, text, mimeType, data, uri, name, resource } = block;
  switch (type) {
    case "text":
      return String(text);
    case "image":
    case "audio":
      return `[${type} ${String(mimeType)}, ${bytesOf(data)} bytes${savedTo(block, saved)}]`;
    case "resource_link":
      return `[resource ${String(name)}: ${String(uri)}]`;
    case "resource":
      return isJsonObject(resource) ? resourceText(resource, saved) : JSON.stringify(block);
    default:
      return JSON.stringify(block);
  }
}

/** The content of a resource as text, after its URI. */
export function resourceText(resource: JsonObject, saved: readonly Saved[] = []): string {
  const { uri, mimeType, text, blob } = resource;
  const kind = mimeType === undefined ? "" : ` ${String(mimeType)}`;
  const place = savedTo(resource, saved);
  if (typeof text === "string")
    return `[resource ${String(uri)}${kind}${place}]${place === "" ? `\n${text}` : ""}`;
  return `[resource ${String(uri)}${kind}, ${bytesOf(blob)} bytes${savedTo(resource, saved)}]`;
}

function savedTo(holder: JsonObject, saved: readonly Saved[]): string {
  const found = saved.find(({ piece }) => piece.holder === holder);
  return found === undefined ? "" : `, saved to ${found.file}`;
}

/** A result for JSON output. Names the file of saved content instead of repeating it in base64. */
export function withFiles(value: JsonValue, saved: readonly Saved[]): JsonValue {
  if (saved.length === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withFiles(item, saved));
  const found = saved.find(({ piece }) => piece.holder === value);
  const entries = Object.entries(value).map(([key, member]) =>
    found?.piece.member === key
      ? (["file", found.file] as const)
      : ([key, withFiles(member!, saved)] as const),
  );
  return Object.fromEntries(entries);
}

/** Number of bytes that base64 text decodes to. */
function bytesOf(data: JsonValue | undefined): number {
  return typeof data === "string" ? Buffer.byteLength(data, "base64") : 0;
}
