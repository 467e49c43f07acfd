import { readFileSync } from "node:fs";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";

/** A contract whose output is kept in a folder of test/golden/contract. */
const document = (file: string) => readContract(readFileSync(`test/golden/contract/${file}`, "utf8"), file);

export const weatherDocument = () => document("weather.contract.yaml");

/** Contracts whose output is committed, by folder: one with all features, and one without any. */
export const golden = { weather: weatherDocument, bare: () => document("bare.contract.json") };

/** The output, by path. */
export async function goldenFiles(name: keyof typeof golden): Promise<ReadonlyMap<string, string>> {
  const document = await golden[name]();
  return (await generateContract({ document, role: "both", importExtension: "js" })).files;
}
