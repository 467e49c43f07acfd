// Checks and explanations with little code: by written schemas, or only by validators.
export { filled, hasDefaults } from "./document/defaults.js";
export { type FormReading, formOf } from "./document/form.js";
export { withoutOptionalNulls } from "./document/optional-nulls.js";
export { type Judge, locateIssue, withoutWrongNulls } from "./explain/locate.js";
export { explainRefusal, schemaProblem } from "./explain/refusal.js";
export { nearest, placeOf, summaryOf, visible } from "./explain/text.js";
export { isJsonObject, pointer } from "./ir/json.js";
export type { WrittenSchema } from "./ir/subschemas.js";
