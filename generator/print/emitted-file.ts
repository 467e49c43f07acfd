/** One file of output, before formatting. */
export interface EmittedFile {
  readonly content: string;
  /** The emitter prints exactly what prettier would: the pipeline skips it (a test proves the claim). */
  readonly formatted?: true;
  /** Code of the engine as it stands there, in lines of its width: the pipeline leaves it so, for laying it out takes long. */
  readonly verbatim?: true;
}
