import { referencesOf } from "@mcpgen/engine";
import type { Emitter, SchemaInput } from "../emitter.js";
import { capitalised, nameDefinitions } from "../names.js";
import { docComment, propertyKey } from "../text.js";
import { isInterface } from "../types/declaration.js";
import { printType } from "../types/print.js";
import { openDefinitions, openReading } from "./open-schema.js";

/**
 * `open.ts`: for each definition that reaches a union or string set to which later revisions may add, the
 * type of what a tolerant reader takes.
 */
export const emitOpen: Emitter<SchemaInput> = ({ schema, folder, origin, importExtension, render }) => {
  const exact = nameDefinitions(schema);
  const open = openDefinitions(schema);
  const reading = openReading(schema, open);
  const names = new Map(
    [...exact].map(([name, identifier]) => [name, open.has(name) ? openName(identifier) : identifier]),
  );
  const imports = new Set<string>();
  const definitions = [...reading.definitions.values()].map(({ name, node, ...definition }) => {
    for (const reference of referencesOf(node)) if (!open.has(reference)) imports.add(exact.get(reference)!);
    const identifier = names.get(name)!;
    const type = printType(node, names);
    const isObject = isInterface({ ...definition, name, node });
    return {
      key: propertyKey(name),
      identifier,
      doc: docComment([`Open reading of \`${exact.get(name)!}\`.`]),
      declaration: isObject ? `interface ${identifier} ${type}` : `type ${identifier} = ${type};`,
    };
  });
  const view = { origin, importExtension, imports: [...imports].sort().join(", "), definitions };
  return new Map([[`${folder}/open.ts`, { content: render("open.ts", view) }]]);
};

function openName(identifier: string): string {
  return `Open${capitalised(identifier)}`;
}
