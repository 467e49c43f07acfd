import fc from "fast-check";

// Every run draws the same, so that a failure stays until it is mended; MCPGEN_SEED draws otherwise.
fc.configureGlobal({ seed: Number(process.env["MCPGEN_SEED"] ?? 1) });
