import {
  type Schema,
  type Definition,
  type SchemaNode,
  naturalCompare,
  reachingOpen,
  recursiveDefinitions,
  descendants,
  inPlaceReferences,
  withChildren,
} from "@mcpgen/engine";
import { copyModule } from "../copied-module.js";
import {
  type Emitter,
  type SchemaInput,
  type WorkspaceInput,
  importSpecifier,
  localNames,
  sharedModule,
  wordsOf,
} from "../emitter.js";
import type { EmittedFile } from "../../../print/emitted-file.js";
import { capitalised } from "../../../print/text.js";
import { type TextNeeds, textModules, textNeeds, assertFormats } from "../texts/modules.js";
import { DefinitionEmitter } from "./definition.js";
import { FunctionNames } from "./function-names.js";
import { importValues } from "../types/print.js";
import { type PreludeName, prelude } from "./prelude.js";
import { Shapes } from "./shape.js";
import type { FileNames, Reading } from "./unit.js";

/**
 * Emits a file of validators. Each definition has `isX`, which accepts exactly the values that the schema
 * accepts, and `acceptsX` (the open variant), which also accepts unknown members of open unions and string
 * sets.
 */
export const emitValidators: Emitter<SchemaInput> = (input) => {
  const { folder, imported } = input;
  const { schema, own } = promoted(assertFormats(input.schema, input.formats));
  const needs = textNeeds(schema);
  const names = localNames(input.schema, imported);
  const isOwn = (name: string): boolean => !imported?.identifiers.has(own.get(name) ?? name);
  const functions = new FunctionNames(functionWords(names, own), schema.patterns, new Set(own.keys()));
  const types = input.judgesOnly ? new Map<string, string>() : typesOf(names, isOwn);
  const exact = readingOf(schema, false);
  const open = readingOf(schema, true);
  const file: FileNames = { names: functions, differing: reachingOpen(schema) };
  const emitter = new DefinitionEmitter(file, types, recursiveDefinitions(schema));
  const emitted = [...schema.definitions.values()].filter(({ name }) => isOwn(name));
  const definitions = emitter.emitAll(emitted, exact, open);
  const isAlone = input.judgesOnly === true;
  const content = input.render("validators.ts", {
    origin: input.origin,
    judgesOnly: isAlone,
    imports: [
      ...importsOf(needs, input.importExtension),
      types.size > 0 ? `import type * as types from "./types.${input.importExtension}";` : "",
      importedFunctions(input, functions, definitions.join("\n")),
      isAlone ? "" : importedChecks(input, emitter.prelude),
    ]
      .filter((line) => line !== "")
      .join("\n"),
    blocks: [...(isAlone ? prelude(emitter.prelude) : []), ...definitions],
  });
  return new Map<string, EmittedFile>([
    [`${folder}/validators.ts`, needs.patterns ? { content } : formattedIfPlain(content)],
    ...textModules(needs, input),
  ]);
};

/**
 * Emits `shared-checks.ts`: functions for the validators of all revisions, and for the steps between
 * revisions.
 */
export const emitSharedChecks: Emitter<WorkspaceInput> = (input) =>
  new Map([["shared-checks.ts", { content: copyModule("shared-checks", input), formatted: true }]]);

/** The import of functions from `shared-checks.ts` that the code calls; empty if there are none. */
function importedChecks(input: SchemaInput, used: ReadonlySet<PreludeName>): string {
  return importValues([...used].sort(naturalCompare), sharedModule(input, "shared-checks"));
}

/** The import of functions from other files of validators that the code calls; empty if there are none. */
function importedFunctions(input: SchemaInput, functions: FunctionNames, code: string): string {
  const { imported } = input;
  if (!imported) return "";
  const used = wordsOf(code);
  const specifiers = [...imported.identifiers].flatMap(([name, identifier]) =>
    (["is", "accepts"] as const)
      .filter((prefix) => used.has(functions.local(prefix, name)))
      .map((prefix) => importSpecifier(prefix + capitalised(identifier), functions.local(prefix, name))),
  );
  return importValues(specifiers.sort(naturalCompare), sharedModule(input, `${imported.folder}/validators`));
}

/** The identifier of each definition in function names. Promoted nodes get a number. */
function functionWords(
  names: ReadonlyMap<string, string>,
  own: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const words = new Map([...names].map(([name, identifier]) => [name, capitalised(identifier)]));
  const taken = new Set(words.values());
  let number = 0;
  for (const [key, within] of own) {
    let word: string;
    do word = `${words.get(within)!}_rest${++number}`;
    while (taken.has(word));
    words.set(key, word);
  }
  return words;
}

/** Imports of text modules, under names that no function of a validator has. */
function importsOf(needs: TextNeeds, extension: string): string[] {
  return [
    ...(needs.formats ? [`import * as textFormats from "./formats.${extension}";`] : []),
    ...(needs.patterns ? [`import * as textPatterns from "./patterns.${extension}";`] : []),
  ];
}

/**
 * Marks a file as formatted unless it has non-ASCII characters, which prettier may count as two columns or
 * none.
 */
function formattedIfPlain(content: string): EmittedFile {
  return /^[\n -~]*$/.test(content) ? { content, formatted: true } : { content };
}

/** The type expression for each definition of this file. */
function typesOf(
  names: ReadonlyMap<string, string>,
  isOwn: (name: string) => boolean,
): ReadonlyMap<string, string> {
  return new Map(
    [...names].filter(([name]) => isOwn(name)).map(([name, identifier]) => [name, `types.${identifier}`]),
  );
}

function readingOf(schema: Schema, open: boolean): Reading {
  return { shapes: new Shapes(schema, open), prefix: open ? "accepts" : "is" };
}

/** A schema in which some nodes became definitions that only one file of validators uses. */
interface Promoted {
  readonly schema: Schema;
  /** Names of those definitions, each with the definition that contained the node. */
  readonly own: ReadonlyMap<string, string>;
}

/**
 * Makes a definition of each node that constrains unevaluated parts and has references that apply to the same
 * value. Their targets are printed inline, and may contain the node itself.
 */
function promoted(schema: Schema): Promoted {
  const own = new Map<string, string>();
  const definitions = new Map<string, Definition>();
  for (const [name, definition] of schema.definitions) {
    definitions.set(name, definition);
    if (![...descendants(definition.node)].some((node) => node !== definition.node && isPromoted(node)))
      continue;
    const change = (node: SchemaNode): SchemaNode => {
      const inner = withChildren(node, change);
      if (node === definition.node || !isPromoted(node)) return inner;
      let key = `${name} ${own.size + 1}`;
      while (schema.definitions.has(key)) key += "'";
      own.set(key, name);
      definitions.set(key, { name: key, node: inner });
      return { pointer: node.pointer, ref: key };
    };
    definitions.set(name, { ...definition, node: change(definition.node) });
  }
  return own.size === 0 ? { schema, own } : { schema: { ...schema, definitions }, own };
}

function isPromoted(node: SchemaNode): boolean {
  const takesRest = (node.unevaluatedProperties ?? node.unevaluatedItems) !== undefined;
  return takesRest && inPlaceReferences(node).size > 0;
}
