import { CodedError } from "../diagnostics/coded-error.js";

/**
 * Loads a package installed beside mcpgen, never one installed by the project, which may be by another
 * author.
 *
 * @throws CodedError MG2013
 */
export async function loadPackage(name: string): Promise<Record<string, unknown>> {
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (cause) {
    throw new CodedError("MG2013", `${name} cannot be loaded: ${(cause as Error).message.split("\n")[0]}`, {
      next: "Install mcpgen again, with its dependencies.",
      cause,
    });
  }
}
