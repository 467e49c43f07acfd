/** One file of output, before formatting. */
export interface EmittedFile {
  readonly content: string;
  /**
   * Whether the content already has prettier's layout, so that the pipeline does not format it (a test
   * verifies this).
   */
  readonly formatted?: true;
  /**
   * Whether the pipeline keeps the layout: that of copied engine code, because formatting it takes long, and that of
   * the manifest, which has one entry per line.
   */
  readonly verbatim?: true;
}
