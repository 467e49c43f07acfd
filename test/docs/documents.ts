import { readFileSync, readdirSync } from "node:fs";

/** The Markdown files of a folder. */
export function documentsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .map((file) => `${folder}/${file}`);
}

/** The READMEs of the packages and of the examples. */
export const readmes: readonly string[] = [
  "engine",
  "generated",
  "create-mcpgen",
  "runtime",
  "examples",
].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?:[^/]+\/)?README\.md$/.test(file) && !file.startsWith("node_modules"))
    .map((file) => `${folder}/${file}`),
);

/** The code blocks of a document that are written in `language`. */
export function blocksOf(document: string, language: string): string[] {
  const blocks = readFileSync(document, "utf8").matchAll(
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"),
  );
  return [...blocks].map(([, code]) => code!);
}
