import { type Definition, type Schema, Tags, descendants, reachingOpen } from "@mcpgen/engine";
import { laidOut, laidOutTexts } from "../../print/code-layout.js";
import type { Emitter, SchemaInput, WorkspaceInput } from "../emitter.js";
import type { EmittedFile } from "../../print/emitted-file.js";
import { capitalised, nameDefinitions } from "../../print/names.js";
import { stringLiteral } from "../../print/text.js";
import { textNeeds } from "../texts/modules.js";
import { asAsked } from "../texts/scanned.js";
import { Shapes } from "../validators/shape.js";
import { array, asserts, object, printLiteral, width } from "./literal.js";
import { type Describing, describePart } from "./part.js";

/**
 * `check.ts`: for each definition `checkX`, which tells what is wrong with a value that `isX` refuses. The
 * file says what each definition looks like; `issues.ts`, beside the revisions, compares values with that.
 */
export const emitCheck: Emitter<SchemaInput> = (input) => {
  const { folder, origin, importExtension, render } = input;
  const schema = asAsked(input.schema, input.formats);
  const needs = textNeeds(schema);
  const identifiers = nameDefinitions(schema);
  const constants = new Map(
    [...identifiers].map(([name, identifier]) => [name, `${capitalised(identifier)}Shape`]),
  );
  const describing = {
    tags: new Tags(schema),
    open: new Shapes(schema, true),
    constants,
    keepsIdle: speaksOfRest(schema),
  };
  const differing = reachingOpen(schema);
  const definitions = [...schema.definitions.values()].map((definition) => {
    const identifier = capitalised(identifiers.get(definition.name)!);
    const handsOn = readingsOf(differing.has(definition.name), needs.formats || needs.patterns);
    return { ...viewOf(describing, definition, identifier, differing.has(definition.name)), handsOn };
  });
  const usesShape = definitions.some(({ assertsShape }) => assertsShape);
  const content = render("check.ts", {
    ...{ origin, importExtension, usesShape, definitions },
    ...{ needs, usesTexts: needs.formats || needs.patterns },
  });
  return new Map([[`${folder}/check.ts`, laidOutTexts(content)]]);
};

/** Whether some keyword asks what others have not looked at. */
function speaksOfRest(schema: Schema): boolean {
  for (const { node } of schema.definitions.values()) {
    for (const each of descendants(node))
      if (each.unevaluatedProperties ?? each.unevaluatedItems) return true;
  }
  return false;
}

interface DefinitionView {
  /** The function's declaration up to its body. */
  readonly declaration: string;
  readonly constant: string;
  readonly identifier: string;
  /** The open reading differs. */
  readonly differs: boolean;
  /** The definition's name as a string literal. */
  readonly name: string;
  /** The expression that describes it. */
  readonly shape: string;
  /** The literal speaks of the type `Shape`. */
  readonly assertsShape: boolean;
}

function viewOf(
  context: Describing,
  { name, node }: Definition,
  identifier: string,
  differs: boolean,
): DefinitionView {
  const literal = describePart(context, node);
  // A bare reference or `false` is no shape by itself.
  const shape = literal.kind === "object" ? literal : object([["allOf", array([literal])]]);
  return {
    declaration: declarationOf(identifier, ["value: unknown", ...(differs ? ['reading?: "open"'] : [])]),
    constant: context.constants.get(name)!,
    identifier,
    differs,
    name: stringLiteral(name),
    assertsShape: asserts(shape),
    shape: `(${printLiteral(shape, 2, "  shape: () => (".length, "),".length)})`,
  };
}

/** What is handed on beside the value and its definition: which reading is asked for, and matchers of texts. */
function readingsOf(differs: boolean, usesTexts: boolean): string {
  if (usesTexts) return differs ? ", reading, texts" : ", undefined, texts";
  return differs ? ", reading" : "";
}

function declarationOf(identifier: string, parameters: readonly string[]): string {
  const flat = `export function check${identifier}(${parameters.join(", ")}): Issue[] {`;
  if (flat.length <= width) return flat;
  const lines = parameters.map((parameter) => `  ${parameter},\n`);
  return `export function check${identifier}(\n${lines.join("")}): Issue[] {`;
}

/** The files that all revisions' checks share. */
export const emitIssues: Emitter<WorkspaceInput> = ({ folder, origin, importExtension, render }) => {
  const at = (path: string): string => (folder === "" ? path : `${folder}/${path}`);
  const file = (template: string): EmittedFile => laidOut(render(template, { origin, importExtension }));
  return new Map([
    [at("issues.ts"), file("issues.ts")],
    [at("issues/evaluated.ts"), file("issues-evaluated.ts")],
    [at("issues/report.ts"), file("issues-report.ts")],
    [at("issues/scalars.ts"), file("issues-scalars.ts")],
    [at("issues/search.ts"), file("issues-search.ts")],
    [at("issues/shape.ts"), file("issues-shape.ts")],
    [at("issues/text.ts"), file("issues-text.ts")],
    [at("issues/unions.ts"), file("issues-unions.ts")],
  ]);
};
