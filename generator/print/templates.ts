import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import Handlebars from "handlebars";
import { CodedError } from "../diagnostics/coded-error.js";
import { nameAdvice } from "../diagnostics/suggest.js";
import { packageFolder, readRegularText } from "../files/regular-file.js";
import { stringLiteral } from "./text.js";

/** Renders the template `name` (`types.ts`, `methods.ts`, …) with a view model. */
export type Render = (name: string, view: object) => string;

const suffix = ".hbs";

/** The folder of the templates that ship with mcpgen. */
export const templatesFolder = join(packageFolder(), "templates");

/**
 * Loads the shipped templates; those in `overrides` replace shipped ones of the same name. Templates are
 * strict: a missing view field is an error. Page templates (`….html`) escape every string for HTML and insert
 * objects with a method `toHTML` unescaped; others never escape.
 *
 * @param overrides folder of the user's templates
 * @throws CodedError if an override does not have a template's name
 */
export function loadTemplates(overrides?: string): Render {
  const handlebars = Handlebars.create();
  const sources = new Map(
    templateNames(templatesFolder).map((name) => [name, join(templatesFolder, name + suffix)]),
  );
  for (const name of overrides === undefined ? [] : templateNames(overrides)) {
    if (!sources.has(name)) throw unknownTemplate(name, overrides!, [...sources.keys()]);
    sources.set(name, join(overrides!, name + suffix));
  }
  for (const [name, file] of sources) {
    // Handlebars removes the line end after a partial that stands alone in a line.
    if (isPartial(name)) handlebars.registerPartial(name, readTemplate(file).replace(/(?<!\n)$/, "\n"));
  }
  handlebars.registerHelper({ toLiteral: stringLiteral });

  const compiled = new Map<string, Handlebars.TemplateDelegate>();
  return (name, view) => {
    let template = compiled.get(name);
    if (!template) {
      const file = sources.get(name);
      if (file === undefined) throw unknownTemplate(name, templatesFolder, [...sources.keys()]);
      template = handlebars.compile(readTemplate(file), { strict: true, noEscape: !name.endsWith(".html") });
      compiled.set(name, template);
    }
    return renderOrExplain(template, view, sources.get(name)!);
  };
}

/** Returns a function that says whether a template's output differs from the shipped one's. */
export function overridesIn(overrides: string | undefined): (name: string) => boolean {
  const names = new Set(overrides === undefined ? [] : templateNames(overrides));
  const hasPartial = [...names].some(isPartial);
  return (name) => hasPartial || names.has(name);
}

/** Whether a template is a partial: its name has no extension of an output file. */
function isPartial(name: string): boolean {
  return !name.includes(".");
}

/** The template's text with normalised line ends. */
function readTemplate(file: string): string {
  let text: string;
  try {
    text = readRegularText(file)
      .replace(/^\ufeff/, "")
      .replace(/\r\n?/g, "\n");
  } catch (error) {
    throw new CodedError("MG1001", "the template cannot be read", {
      place: { file },
      next: "Check the file and its permissions.",
      cause: error,
    });
  }
  try {
    Handlebars.parse(text);
  } catch (error) {
    throw broken(error, file);
  }
  return text;
}

function renderOrExplain(template: Handlebars.TemplateDelegate, view: object, file: string): string {
  try {
    return template(view);
  } catch (error) {
    throw broken(error, file);
  }
}

function broken(error: unknown, file: string): CodedError {
  return new CodedError("MG1006", `the template cannot be rendered: ${(error as Error).message}`, {
    place: { file },
    next: "Correct the template; it can use the fields that the shipped template of the same name uses.",
    cause: error,
  });
}

/** Whether a file in a folder of overrides is a template; other files are ignored. */
export function isTemplate(file: string): boolean {
  return file.endsWith(suffix);
}

function templateNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(isTemplate)
      .map((file) => basename(file, suffix))
      .sort();
  } catch (error) {
    throw new CodedError("MG1001", "the folder of templates cannot be read", {
      place: { file: folder },
      next: "Check the path given with --templates.",
      cause: error,
    });
  }
}

function unknownTemplate(name: string, folder: string, known: readonly string[]): CodedError {
  return new CodedError("MG1005", `there is no template ${JSON.stringify(name)} to override`, {
    place: { file: join(folder, name + suffix) },
    next: nameAdvice(name, known, `Name it after one of: ${known.join(", ")}.`, (meant) => meant + suffix),
  });
}
