// Checks texts against the formats of JSON Schema. The time of a check depends only on the length of the
// text.
export * from "../formats/format.js";
