import { type Schema, reachingOpen, recursiveDefinitions } from "@mcpgen/engine";
import type { EmittedFile, Emitter, SchemaInput } from "../emitter.js";
import { capitalised, nameDefinitions } from "../names.js";
import { type TextNeeds, textModules, textNeeds } from "../texts/modules.js";
import { asAsked } from "../texts/scanned.js";
import { DefinitionEmitter } from "./definition.js";
import { FunctionNames } from "./function-names.js";
import { importTypes } from "../types/layout.js";
import { prelude } from "./prelude.js";
import { Shapes } from "./shape.js";
import { type FileContext, type Reading } from "./unit.js";

/**
 * One file of validators: for each definition `isX`, which accepts exactly what the schema accepts, and
 * `acceptsX`, which also takes unknown members of unions and sets that are declared open.
 */
export const emitValidators: Emitter<SchemaInput> = (input) => {
  const { folder } = input;
  const schema = asAsked(input.schema, input.formats);
  const needs = textNeeds(schema);
  const names = nameDefinitions(schema);
  const file: FileContext = {
    names: new FunctionNames(
      new Map([...names].map(([name, identifier]) => [name, capitalised(identifier)])),
    ),
    differing: reachingOpen(schema),
  };
  const types = new Map(
    (input.judgesOnly ? [] : [...names]).map(([name, identifier]) => [
      name,
      shadowing.has(identifier) ? `${identifier}Type` : identifier,
    ]),
  );
  const emitter = new DefinitionEmitter(file, types, recursiveDefinitions(schema));
  const exact = readingOf(schema, false);
  const open = readingOf(schema, true);
  const definitions = [...schema.definitions.values()].map((definition) =>
    emitter.emit(definition, exact, open).join("\n\n"),
  );
  const content = input.render("validators.ts", {
    origin: input.origin,
    judgesOnly: input.judgesOnly === true,
    imports: [...importsOf(needs, input.importExtension), importOf(names, types, input.importExtension)]
      .filter((line) => line !== "")
      .join("\n"),
    blocks: [...prelude(emitter.prelude), ...definitions],
  });
  return new Map<string, EmittedFile>([
    [`${folder}/validators.ts`, needs.patterns ? { content } : laidOut(content)],
    ...textModules(needs, input),
  ]);
};

/** Modules of functions are named so that no function of a validator hides them. */
function importsOf(needs: TextNeeds, extension: string): string[] {
  return [
    ...(needs.formats ? [`import * as textFormats from "./formats.${extension}";`] : []),
    ...(needs.patterns ? [`import * as textPatterns from "./patterns.${extension}";`] : []),
  ];
}

/** Prettier counts some characters beyond ASCII as two columns or none: lines that hold any are left to it. */
function laidOut(content: string): EmittedFile {
  return /^[\n -~]*$/.test(content) ? { content, formatted: true } : { content };
}

/** What emitted code uses of the standard library; definitions called so are imported under another name. */
const shadowing: ReadonlySet<string> = new Set([
  "Array",
  "Generator",
  "Iterator",
  "JSON",
  "Number",
  "Object",
  "Set",
]);

function readingOf(schema: Schema, open: boolean): Reading {
  return { shapes: new Shapes(schema, open), prefix: open ? "accepts" : "is" };
}

function importOf(
  names: ReadonlyMap<string, string>,
  types: ReadonlyMap<string, string>,
  extension: string,
): string {
  const specifiers = [...types].map(([name, local]) => {
    const identifier = names.get(name)!;
    return local === identifier ? identifier : `${identifier} as ${local}`;
  });
  return importTypes(specifiers, `./types.${extension}`);
}
