import { type Definition, type JsonValue, reachingOpen } from "@mcpgen/engine";
import { argumentsWithin, arrayLayout, printAt } from "../../print/code-layout.js";
import type { EmittedFile } from "../../print/emitted-file.js";
import { capitalised } from "../../print/names.js";
import { stringLiteral } from "../../print/text.js";
import { copyWhole } from "../copied-module.js";
import type { Emitter, SchemaInput, WorkspaceInput } from "../emitter.js";
import { localNames, sharedModule } from "../imported.js";
import { textNeeds } from "../texts/modules.js";
import { assertFormats } from "../texts/scanned.js";
import { Shapes } from "../validators/shape.js";
import { openingOf } from "./opening.js";
import { writtenNode } from "./written-node.js";

/**
 * `explain.ts`: the schema, a text for each definition, and for each definition `explainX`, which says what is wrong with a
 * value that `isX` refuses. The module `explain.ts` beside the revisions, copied from the engine, searches.
 */
export const emitExplain: Emitter<SchemaInput> = (input) => {
  const { imported, folder, origin, importExtension, render } = input;
  const schema = assertFormats(input.schema, input.formats);
  const identifiers = localNames(schema, imported);
  const shapes = new Shapes(schema, true);
  const differing = reachingOpen(schema);
  const definitions = [...schema.definitions.values()].map((definition) => {
    const { name, node } = definition;
    const exported = imported?.identifiers.get(name);
    const differs = differing.has(name);
    return {
      row: rowOf(
        definition,
        writtenNode(node, (open) => openingOf(shapes, open)),
        {
          validators: exported === undefined ? "validators" : "baseValidators",
          judged: capitalised(exported ?? identifiers.get(name)!),
          differs,
        },
      ),
      ...functionOf(name, capitalised(identifiers.get(name)!), differs),
    };
  });
  const needs = textNeeds(schema);
  const content = render("explain.ts", {
    ...{ origin, importExtension, definitions, needs },
    modules: {
      explain: sharedModule(input, "explain"),
      ...(imported &&
        imported.identifiers.size > 0 && {
          validators: sharedModule(input, `${imported.folder}/validators`),
        }),
    },
    texts: [
      ...(needs.formats ? ["formats"] : []),
      ...(needs.patterns ? ["matcher: linearMatcher"] : []),
    ].join(", "),
  });
  return new Map([[`${folder}/explain.ts`, laidOutRows(content)]]);
};

interface Validators {
  readonly validators: string;
  /** The name behind `is` and `accepts`. */
  readonly judged: string;
  /** The open reading differs. */
  readonly differs: boolean;
}

/** The row of a definition: its name, its schema and its validators. */
function rowOf({ name }: Definition, schema: JsonValue, { validators, judged, differs }: Validators): string {
  const row = arrayLayout([
    stringLiteral(name),
    stringLiteral(JSON.stringify(schema)),
    `${validators}.is${judged}`,
    ...(differs ? [`${validators}.accepts${judged}`] : []),
  ]);
  return printAt(1, [row, ","]);
}

/** The head of a function up to its body, and the arguments that it passes on. */
function functionOf(
  name: string,
  identifier: string,
  differs: boolean,
): { readonly head: string; readonly passed: string } {
  const parameters = ["value: unknown", ...(differs ? ['reading?: "open"'] : [])];
  const passed = [stringLiteral(name), "value", ...(differs ? ["reading"] : [])];
  const [start, end] = [`export function explain${identifier}`, ": Issue[] {"] as const;
  return {
    head: `${start}(${argumentsWithin(0, start, parameters, end)})${end}`,
    passed: argumentsWithin(1, "return explain", passed, ";"),
  };
}

/** A file whose lines fit; a text alone on a line is never broken. Prettier counts characters beyond ASCII in another way. */
function laidOutRows(content: string): EmittedFile {
  const isPlain = /^[\n -~]*$/.test(content);
  const fits = (line: string): boolean =>
    line.length <= 80 || /^ +(?:"[^"]*"|'[^']*'),$/.test(line) || /^\s*\/\//.test(line);
  return isPlain && content.split("\n").every(fits) ? { content, formatted: true } : { content };
}

/** The file that the explanations of all revisions share. */
export const emitExplainer: Emitter<WorkspaceInput> = (input) => {
  const path = input.folder === "" ? "explain.ts" : `${input.folder}/explain.ts`;
  return new Map([[path, { content: copyWhole("explain/written", input), verbatim: true }]]);
};
