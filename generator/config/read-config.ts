import type { JsonValue } from "@mcpgen/engine";
import { type PlaceOf, expectShape } from "../files/json-shape.js";
import { configShape } from "./config-shape.js";
import type { Config } from "./config.js";

/**
 * The configuration that `value` is.
 *
 * @throws CodedError MG2102 for a key that means nothing, MG2103 for a value of the wrong type
 */
export async function readConfig(value: JsonValue, placeOf: PlaceOf): Promise<Config> {
  await expectShape(configShape, value, { unknownKey: "MG2102", wrongValue: "MG2103", placeOf });
  return value as unknown as Config;
}
