import { createRequire } from "node:module";

/**
 * Returns the compared libraries by name. Each is a function from a schema document and the name of a
 * definition to a validator.
 */
export async function loadPeers() {
  let Ajv, typebox;
  try {
    const require = createRequire(new URL("../package.json", import.meta.url));
    Ajv = require("ajv/dist/2020.js").Ajv2020;
    typebox = await import("typebox/schema");
  } catch (error) {
    console.error(`The peers are not installed (${error.code ?? error.message}). Run: npm ci --prefix bench`);
    return [];
  }
  return [
    [
      "ajv",
      (document) => {
        const ajv = new Ajv({ strict: false, validateFormats: false });
        ajv.addSchema(document, "document");
        return (name) => ajv.compile({ $ref: `document#/$defs/${name}` });
      },
    ],
    [
      "typebox",
      (document) => (name) => {
        const validator = typebox.Compile({ $defs: document.$defs, $ref: `#/$defs/${name}` });
        return (value) => validator.Check(value);
      },
    ],
  ];
}
