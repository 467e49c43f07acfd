import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";

/** A part of a result that is saved as a file: an image, a sound, the content of a resource. */
export interface Piece {
  /** The name of the content, if it has one. */
  readonly name: string | undefined;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
  /** The object of the result that holds it. */
  readonly holder: JsonObject;
  /** The member of `holder` that holds it. */
  readonly member: "data" | "blob" | "text";
}

/** Images, sounds and blobs among the content blocks of a tool or a prompt. */
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
