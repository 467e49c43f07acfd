import { isJsonObject } from "@mcpgen/engine";
import type { Contract } from "../../contract/contract.js";
import { storedExtensions } from "../../extension/extension-store.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { openProject } from "../project.js";

/** An extension that a server declares. */
export interface DeclaredExtension {
  readonly id: string;
  /** Versions in the schema folder, oldest first. */
  readonly stored: readonly string[];
}

/** The extensions that a server declares, and the versions of them that the schema folder has. */
export async function declaredExtensions(
  { capabilities }: Contract,
  args: Arguments,
  context: CommandContext,
): Promise<readonly DeclaredExtension[]> {
  const extensions = capabilities?.["extensions"];
  if (!isJsonObject(extensions) || Object.keys(extensions).length === 0) return [];
  const stored = storedExtensions((await openProject(args, context, { optional: true })).schemaDir);
  return Object.keys(extensions).map((id) => ({
    id,
    stored: stored.filter((one) => one.id === id).map(({ version }) => version),
  }));
}

/** A line for each of the extensions. */
export function extensionLines(extensions: readonly DeclaredExtension[]): string[] {
  return extensions.map(({ id, stored }) =>
    stored.length > 0
      ? `declares ${id}, stored as ${stored.join(", ")}`
      : `declares ${id}, which is not stored: \`mcpgen extension add FILE --id ${id}\` brings its schema in`,
  );
}
