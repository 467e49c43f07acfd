import { extname } from "node:path";
import { escapedLines } from "../print/text.js";
import type { Contract } from "./contract.js";

/**
 * A contract as the text of a file: JSON where the file's name ends so, else YAML. Keys keep their order; what does
 * not show or reorders text is escaped, so that a reader sees all there is.
 */
export async function contractText(contract: Contract, file: string): Promise<string> {
  if (extname(file) === ".json") return `${escapedLines(JSON.stringify(contract, null, 2))}\n`;
  const { stringifyYaml } = await import("./yaml-text.js");
  return stringifyYaml(contract);
}
