import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folder of the pictures. */
export const picturesFolder = "docs/pictures";

/** A picture of a page. */
export interface Picture {
  /** The name of its file in `picturesFolder`. */
  readonly file: string;
  readonly page: "dev" | "reference" | "differences";
  readonly theme: "light" | "dark";
}

/** All pictures, in the order in which they are taken. */
export const pictures: readonly Picture[] = [
  { file: "dev.webp", page: "dev", theme: "light" },
  { file: "dev-dark.webp", page: "dev", theme: "dark" },
  { file: "reference.webp", page: "reference", theme: "light" },
  { file: "differences.webp", page: "differences", theme: "light" },
];

/** The most bytes that all pictures may have together. */
export const mostBytes = 250_000;

/** The pictures of the repository, by their path. */
export function storedPictures(root = "."): ReadonlyMap<string, Buffer> {
  const files = readdirSync(join(root, picturesFolder)).sort();
  return new Map(
    files.map((file) => [`${picturesFolder}/${file}`, readFileSync(join(root, picturesFolder, file))]),
  );
}
