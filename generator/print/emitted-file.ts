/** One file of output, before formatting. */
export interface EmittedFile {
  readonly content: string;
  /** The emitter prints exactly what prettier would: the pipeline skips it (a test proves the claim). */
  readonly formatted?: true;
  /** The pipeline keeps the layout: of the code of the engine, which takes long to lay out, and of the manifest, with an entry a line. */
  readonly verbatim?: true;
}
