import { extname } from "node:path";
import { shownJson } from "../print/terminal-text.js";
import type { Contract } from "./contract.js";

/**
 * A contract as the text of a file: JSON where the file's name ends so, else YAML. Keys keep their order; what does
 * not show, reorders text or commands a CI runner is escaped, so that a reader sees all there is.
 */
export async function contractText(contract: Contract, file: string): Promise<string> {
  if (extname(file) === ".json") return `${shownJson(contract)}\n`;
  const { stringifyYaml } = await import("./yaml.js");
  return stringifyYaml(contract);
}
