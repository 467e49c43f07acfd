import { parse } from "yaml";

/** What stands between the first two lines of three hyphens of a `SKILL.md`. */
export interface Frontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/**
 * Reads the frontmatter of a `SKILL.md`, as JSON has it: a number that JSON lacks is `null`.
 *
 * @throws {Error} there is none, it is not YAML, it refers to itself, or it lacks `name` or `description`
 */
export function frontmatterOf(text: string): Frontmatter {
  const yaml = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  if (yaml === undefined)
    throw new Error("it does not begin with frontmatter between lines of three hyphens");
  const fields = JSON.parse(JSON.stringify(parse(yaml))) as Partial<Frontmatter> | null;
  for (const field of ["name", "description"]) {
    const value = fields?.[field];
    if (typeof value !== "string" || value === "")
      throw new Error(`its frontmatter has no text for ${field}`);
  }
  return fields as Frontmatter;
}
