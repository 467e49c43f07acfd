import { readFileSync } from "node:fs";
import { generateContract } from "../../generator/contract/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";

const file = "test/golden/contract/weather.contract.yaml";

/** The contract whose output is kept in test/golden/contract/weather. */
export const weatherDocument = () => readContract(readFileSync(file, "utf8"), file);

/** Its output, by path. */
export async function weatherFiles(): Promise<Map<string, string>> {
  return generateContract({ document: await weatherDocument(), role: "both", importExtension: "js" });
}
