import { existsSync } from "node:fs";
import { join } from "node:path";

/** The file name of a contract, unless a name is given. */
export const contractFileName = "mcp.contract.yaml";

/** The name of the contract that a folder holds; undefined where it holds none of a usual name. */
export function contractIn(folder: string): string | undefined {
  return [contractFileName, "mcp.contract.json"].find((name) => existsSync(join(folder, name)));
}
