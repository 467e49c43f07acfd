/**
 * Compares the speed of the interpreter with that of compiled ajv, on the schemas of the official test suite
 * and on protocol messages. Usage: node bench/engine/run.mjs [--quick] [--verbose] [revision…], after npm run
 * build and npm ci --prefix bench.
 */
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { readDocument, readSchema } from "../../engine/dist/index.js";
import { validatorOf } from "../../engine/dist/interpreter.js";
import { metaSchemas } from "../../engine/dist/meta-schemas.js";
import { casesFor } from "../validators/cases.mjs";
import { schemaOf } from "../validators/emitted.mjs";
import { geometricMean, measure, wrongVerdicts } from "../validators/measure.mjs";

const require = createRequire(new URL("../package.json", import.meta.url));
const { Ajv2020 } = require("ajv/dist/2020.js");
const { Ajv } = require("ajv");
const suite = new URL("../../test/fixtures/json-schema-test-suite/", import.meta.url).pathname;

const quick = process.argv.includes("--quick");
const verbose = process.argv.includes("--verbose");
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const revisions = wanted.length > 0 ? wanted : ["2025-11-25", "2026-07-28"];
const settings = { strict: false, validateSchema: false, validateFormats: false, logger: false };
/** The `$schema` URI of the suite's documents, by the name of the ajv class that reads them. */
const dialectOf = {
  Ajv2020: "https://json-schema.org/draft/2020-12/schema",
  Ajv: "http://json-schema.org/draft-07/schema#",
};

reportSuite("2020-12", "draft2020-12", Ajv2020);
reportSuite("draft-07", "draft7", Ajv);
for (const revision of revisions) reportRevision(revision);

/** Computes one ratio for each schema, over all its values: valid and invalid ones in turn. */
function reportSuite(dialect, folder, Peer) {
  const remotes = jsonFiles(join(suite, "remotes")).map(([path, document]) => [
    `http://localhost:1234/${path}`,
    document,
  ]);
  const documents = new Map([...metaSchemas, ...remotes]);
  const ratios = [];
  let left = 0;
  for (const [file, groups] of jsonFiles(join(suite, "tests", folder))) {
    if (file.startsWith("optional")) continue;
    for (const { description, schema, tests } of groups) {
      const ours = validatorOf(readDocument(schema, { dialect, documents }));
      const ajv = compiled(Peer, schema, remotes);
      const values = tests.map(({ data }) => data);
      // Schemas that ajv cannot compile, or for which its verdicts differ from the suite, are not measured.
      if (!ajv || !agrees(ajv, tests)) {
        left++;
        continue;
      }
      const effort = quick ? { rounds: 3, milliseconds: 1 } : { rounds: 7, milliseconds: 4 };
      const contenders = [
        ["ours", ours],
        ["ajv", ajv],
      ];
      const spent = measure(contenders, values, effort);
      const ratio = spent.get("ours") / spent.get("ajv");
      ratios.push(ratio);
      if (verbose) {
        const figures = `${spent.get("ours").toFixed(1)} ns, ajv ${spent.get("ajv").toFixed(1)}`;
        console.log(`  ${ratio.toFixed(2).padStart(7)}  ${figures}  ${file}: ${description}`);
      }
    }
  }
  report(`suite ${dialect} (${left} schemas that ajv fails left out)`, ratios);
}

function agrees(validate, tests) {
  try {
    return tests.every(({ data, valid }) => validate(data) === valid);
  } catch {
    return false;
  }
}

function compiled(Peer, schema, remotes) {
  try {
    const ajv = new Peer(settings);
    for (const [uri, document] of remotes) {
      if ([undefined, dialectOf[Peer.name]].includes(document.$schema)) ajv.addSchema(document, uri);
    }
    const validate = ajv.compile(schema);
    return (value) => validate(value);
  } catch {
    return undefined;
  }
}

function reportRevision(revision) {
  const document = schemaOf(revision);
  const schema = readSchema(document);
  const ajv = new Ajv2020(settings);
  ajv.addSchema(document, "document");
  const ratios = [];
  for (const one of casesFor(revision)) {
    const contenders = [
      ["ours", validatorOf(schema, { definition: one.definition })],
      ["ajv", ajv.compile({ $ref: `document#/$defs/${one.definition}` })],
    ];
    if (wrongVerdicts(contenders[0][1], one) > 0) throw new Error(`${one.name}: not judged as expected`);
    const spent = measure(
      contenders,
      one.values,
      quick ? { rounds: 5, milliseconds: 5 } : { rounds: 15, milliseconds: 20 },
    );
    const ratio = spent.get("ours") / spent.get("ajv");
    ratios.push(ratio);
    const name = `${one.name}, ${one.expected ? "valid" : "invalid"}`;
    if (verbose) {
      const figures = `${spent.get("ours").toFixed(1)} ns, ajv ${spent.get("ajv").toFixed(1)}`;
      console.log(`  ${ratio.toFixed(2).padStart(7)}  ${figures}  ${name}`);
    }
  }
  report(`messages of ${revision}`, ratios);
}

function report(what, ratios) {
  const worst = Math.max(...ratios).toFixed(1);
  const mean = geometricMean(ratios).toFixed(2);
  console.log(
    `${what}: interpreter ${mean} times compiled ajv (geometric mean of ${ratios.length}, worst ${worst})`,
  );
}

function jsonFiles(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [relative(root, file), JSON.parse(readFileSync(file, "utf8"))]);
}
