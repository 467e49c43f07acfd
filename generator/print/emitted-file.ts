/** One file of output, before formatting. */
export interface EmittedFile {
  readonly content: string;
  /** The emitter prints exactly what prettier would: the pipeline skips it (a test proves the claim). */
  readonly formatted?: true;
}
