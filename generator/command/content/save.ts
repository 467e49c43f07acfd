import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { JsonObject } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { WriteRoot } from "../../files/write-root.js";
import { writeFiles } from "../../files/writer.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { shownPath } from "../shown-path.js";
import type { Piece } from "./pieces.js";

/** A piece of a result and the file that it is in now. */
export interface Saved {
  readonly piece: Piece;
  /** The path as messages show it. */
  readonly file: string;
}

/**
 * Refuses a file of `--output` that is there, before anything is asked of a server. In a folder others are written beside
 * those that are there.
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
 * Writes pieces of a result to where `--output` says: a folder gets a file for each, a file is for one alone.
 *
 * @returns nothing where the option is not given
 * @throws CodedError MG3002 for a link in the place of a file, MG2004 for several pieces and one file
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

/** The text of a result that holds no image, sound or blob, as a piece. */
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

/** Names for files, each once. A URI of the server gives a name, never a folder or a hidden file. */
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

/** Extensions of media types whose names are others than their subtypes. */
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
