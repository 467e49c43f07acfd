// Whether texts are of the formats of JSON Schema. Each takes time that grows with the length of the text
// alone.
export * from "../formats/format.js";
