/** The reason why the engine cannot read a schema. */
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

/**
 * The error for a schema that the engine cannot read. `pointer` is the place in the document that the caller
 * passed.
 */
export class SchemaError extends Error {
  override readonly name = "SchemaError";

  readonly code: SchemaErrorCode;
  /** JSON Pointer (RFC 6901) of the place; the empty string is the whole document. */
  readonly pointer: string;
  /** The available names, if a name was not found; for a suggestion. */
  readonly candidates: readonly string[];
  /**
   * The URI of the document that `pointer` leads into, if it is one of `documents` instead of the schema
   * itself.
   */
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
