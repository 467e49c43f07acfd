export function buildPages(folder: string, outdir: string): Promise<void>;
