/** One file of output, before formatting. */
export interface EmittedFile {
  readonly content: string;
  /** The emitter prints exactly what prettier would: the pipeline skips it (a test proves the claim). */
  readonly formatted?: true;
  /** A layout of its own, which the pipeline leaves: code of the engine, whose layout takes long, and a manifest with an entry a line. */
  readonly verbatim?: true;
}
