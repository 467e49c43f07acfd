import { ts } from "ts-morph";
import type { Address } from "./address.js";

/** The table of generated code that names, for each definition, the type that a tolerant reader takes. */
const table = "OpenDefinitions";

/** What open types are of: `OpenTool` is the definition `Tool`. */
export class OpenNames {
  readonly #definitions = new Map<ts.SourceFile, ReadonlyMap<string, string>>();

  /** @param files generated code */
  constructor(files: readonly ts.SourceFile[]) {
    for (const file of files) {
      const found = file.statements.find(
        (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === table,
      );
      if (found) this.#definitions.set(file, definitionsIn(found as ts.InterfaceDeclaration));
    }
  }

  /** The address in the definition that an open type is of; another address as it is. */
  closed(address: Address, file: ts.SourceFile): Address {
    const definition = this.#definitions.get(file)?.get(address.definition);
    return definition === undefined ? address : { ...address, definition };
  }
}

function definitionsIn({ members }: ts.InterfaceDeclaration): ReadonlyMap<string, string> {
  return new Map(
    members.flatMap((member) =>
      ts.isPropertySignature(member) && member.type
        ? [[member.type.getText(), member.name.getText()] as const]
        : [],
    ),
  );
}
