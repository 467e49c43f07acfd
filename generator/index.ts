// Configuration: types mcpgen.config.js and mcpgen.config.ts.
export { defineConfig, type Config, type ContractConfig, type DiffConfig } from "./config/config.js";

// The compiler as a function: schemas in, files out; reads its inputs, writes nothing.
export { emitterNames, generateFiles, type Generated, type GenerateRequest } from "./pipeline/generate.js";
export { storedRevision, type RevisionSource } from "./revision/revision-source.js";

// Problems with the input: stable codes, places, what to do.
export { CodedError, type CodedErrorDetails, type Place } from "./diagnostics/coded-error.js";
export { catalogue, type CodeOfError, type DiagnosticCode } from "./diagnostics/catalogue.js";
export type { Diagnostic } from "./diagnostics/diagnostic.js";
