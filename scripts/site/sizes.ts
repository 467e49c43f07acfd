/** The size of each page in kilobytes, the largest first, and the sum. */
export function sizesText(files: ReadonlyMap<string, string>): string {
  const sizes = [...files].map(([file, text]) => ({ file, bytes: Buffer.byteLength(text) }));
  const lines = [...sizes]
    .sort((a, b) => b.bytes - a.bytes || (a.file < b.file ? -1 : 1))
    .map(({ file, bytes }) => `${kilobytes(bytes)}  ${file}`);
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
  return [...lines, `${kilobytes(sum)}  in all`].join("\n");
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1).padStart(8)} KB`;
}
