import { resolve } from "node:path";
import { type Render, loadTemplates } from "../../print/templates.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import type { Project } from "../project.js";

/** The templates of pages: those of `--templates`, else of the configuration, in place of the shipped ones. */
export function pageTemplates(args: Arguments, { loaded }: Project, { directory }: CommandContext): Render {
  const given = args.string("templates");
  if (given !== undefined) return loadTemplates(resolve(directory, given));
  const { config, folder } = loaded;
  return loadTemplates(config.templates === undefined ? undefined : resolve(folder, config.templates));
}
