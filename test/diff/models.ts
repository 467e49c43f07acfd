import { fileURLToPath } from "node:url";
import { type JsonObject, type JsonValue, canonicalise, readSchema } from "@mcpgen/engine";
import { type Finding, type Policy, defaultPolicy, subjectText } from "../../generator/diff/finding.js";
import { diffModels } from "../../generator/diff/diff-models.js";
import { undocumented } from "../../generator/revision/schema-source.js";
import { loadRevision, storedRevision } from "../../generator/revision/revision-source.js";
import { buildModel } from "../../generator/model/build-model.js";
import type { ProtocolModel } from "../../generator/model/model.js";
import { assumeNotes } from "../../generator/model/assume.js";
import { revisions } from "../support/revisions.js";

const schemaDir = fileURLToPath(new URL("../../schema/", import.meta.url));

/** The pairs of consecutive released revisions. */
export const pairs = revisions.slice(1).map((revision, index) => [revisions[index]!, revision] as const);

const known = new Map<string, Promise<ProtocolModel>>();

/** The model of a released revision as `mcpgen diff` reads it. */
export function released(revision: string): Promise<ProtocolModel> {
  let model = known.get(revision);
  if (!model) {
    const source = storedRevision(schemaDir, revision, "released", true);
    known.set(revision, (model = loadRevision(source, undocumented).then((loaded) => loaded.model)));
  }
  return model;
}

/** The model of a schema document, without notes. */
export function modelFrom(document: JsonObject): ProtocolModel {
  const canonical = canonicalise(document);
  const { notes } = assumeNotes(canonical);
  return buildModel({ revision: "test", status: "draft", schema: readSchema(canonical), notes }).model;
}

/** A protocol whose request `test/do` from the client has these params, answered by this result. */
export function protocolOf(params: JsonValue, result: JsonValue = {}, more: JsonObject = {}): JsonObject {
  const method = { type: "string", const: "test/do" };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      DoRequest: { type: "object", properties: { method, params }, required: ["method", "params"] },
      DoResult: result,
      ClientRequest: { anyOf: [{ $ref: "#/$defs/DoRequest" }] },
      ServerResult: { anyOf: [{ $ref: "#/$defs/DoResult" }] },
      ...more,
    },
  };
}

/** The findings between two protocols that differ only in the schema of one property of the params or the result. */
export function between(
  old: JsonValue,
  next: JsonValue,
  policy: Policy = defaultPolicy,
  where: "params" | "result" = "params",
): Finding[] {
  const object = (value: JsonValue): JsonValue => ({
    type: "object",
    properties: { value },
    required: ["value"],
  });
  const [a, b] = [object(old), object(next)];
  const empty: JsonValue = { type: "object" };
  const protocol = (value: JsonValue): JsonObject =>
    where === "params" ? protocolOf(value, empty) : protocolOf(empty, value);
  return diffModels(modelFrom(protocol(a)), modelFrom(protocol(b)), policy);
}

/** A finding on one line: rule, subject and levels. */
export function line({ rule, subject, level }: Finding): string {
  return `${rule} ${subjectText(subject)} client:${level.client} server:${level.server}`;
}
