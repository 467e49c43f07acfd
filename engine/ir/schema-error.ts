/** Why a document is not a schema this engine can work with. */
export type SchemaErrorCode =
  | "not-a-schema"
  | "malformed-keyword"
  | "unsupported-keyword"
  | "unsupported-dialect"
  | "unresolved-reference"
  | "remote-reference"
  | "circular-reference"
  | "too-deep"
  | "unsafe-pattern";

/** A schema that cannot be read. `pointer` is the place in the document that was passed in. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";

  readonly code: SchemaErrorCode;
  /** JSON Pointer (RFC 6901) of the place; the empty string is the whole document. */
  readonly pointer: string;
  /** Names that were available where one was not found, for a suggestion. */
  readonly candidates: readonly string[];
  /** The URI of the document that `pointer` leads into, where it is one handed in beside the schema. */
  readonly document: string | undefined;

  constructor(
    code: SchemaErrorCode,
    pointer: string,
    message: string,
    candidates: readonly string[] = [],
    document?: string,
  ) {
    super(message);
    this.code = code;
    this.pointer = pointer;
    this.candidates = candidates;
    this.document = document;
  }
}
