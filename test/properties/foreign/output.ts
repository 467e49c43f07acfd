import type { JsonObject } from "@mcpgen/engine";
import { generateContract } from "../../../generator/pipeline/generate-contract.js";
import { readContract } from "../../../generator/contract/read-contract.js";
import { CodedError } from "../../../generator/diagnostics/coded-error.js";
import { emitterNames, generateFiles } from "../../../generator/pipeline/generate.js";
import { randomFrom } from "../../../generator/sample/values.js";
import { SchemaMaker, type Spelling, type Vocabulary } from "./random-schema.js";
import { seed } from "../../support/cases.mjs";

/** The outcome for a schema: files by path, a refusal with a code, or an error that no schema may cause. */
export interface Outcome {
  readonly files: ReadonlyMap<string, string>;
  readonly refusal?: string;
  readonly crash?: string;
}

export interface Tool {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** The emitters for one revision; the output of the others can be shared by many revisions. */
const shared = ["authoring", "open"];
const own = emitterNames.filter((name) => ![...shared, "index", "package"].includes(name));

/** The output for a protocol whose schema is `value`, in a folder `revision`. */
export async function protocolOutput(revision: string, value: JsonObject): Promise<Outcome> {
  return attempt(value, async () => {
    const read = { schema: { file: `${revision}.json`, text: JSON.stringify(value), value } };
    const generate = (only: readonly string[]) =>
      generateFiles({
        sources: [{ revision, status: "released", schemaFile: `${revision}.json`, read }],
        schemaDir: "no-such-folder",
        importExtension: "js",
        only,
      });
    const { files } = await generate(own);
    const authored = await generate(shared);
    // These files usually are beside the folders of revisions. Here every revision has its own copy.
    const moved = [...authored.files].map(
      ([path, text]) => [`${revision}/${path}`, text.replaceAll(`"./${revision}/`, '"./')] as const,
    );
    return new Map([...files, ...moved]);
  });
}

/**
 * The output for both sides of a contract with these tools, in a folder `name`.
 *
 * @param more further members of the contract, and its name, if that is another
 */
export async function contractOutput(
  name: string,
  tools: readonly Tool[],
  more: JsonObject = {},
): Promise<Outcome> {
  const contract = { name, version: "1", tools, ...more };
  return attempt(contract, async () => {
    const document = await readContract(JSON.stringify(contract), `${name}.json`);
    const { files } = await generateContract({ document, role: "both", importExtension: "js" });
    return new Map([...files].map(([path, text]) => [`${name}/${path}`, text]));
  });
}

async function attempt(value: object, work: () => Promise<ReadonlyMap<string, string>>): Promise<Outcome> {
  try {
    return { files: await work() };
  } catch (error) {
    if (error instanceof CodedError) return { files: new Map(), refusal: `${error.code} ${error.message}` };
    return { files: new Map(), crash: `${(error as Error).stack}\n${JSON.stringify(value)}` };
  }
}

/** Every fourth schema is one of draft-07. */
export function spellingOf(index: number): Spelling {
  return index % 4 === 3 ? "draft-07" : "2020-12";
}

/**
 * A random schema of definitions, and of a method whose messages they describe.
 *
 * @param named names of definitions and members; the message, whose definitions have this at the start of their names
 */
export function randomProtocol(
  index: number,
  { vocabulary, message = "Call" }: { readonly vocabulary?: Vocabulary; readonly message?: string } = {},
): JsonObject {
  const spelling = spellingOf(index);
  const random = randomFrom(`${seed}: protocol ${index}`);
  const maker = new SchemaMaker(random, spelling, false, vocabulary);
  const at = spelling === "2020-12" ? "$defs" : "definitions";
  const definition = (name: string): JsonObject => ({ $ref: `#/${at}/${name}` });
  const members = ["jsonrpc", "id", "method", "params"];
  const request: JsonObject = {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      id: { type: ["string", "integer"] },
      method: { type: "string", const: "a/call" },
      params: random.chance(0.5) ? definition(vocabulary?.definitions[0] ?? "A") : maker.schema(3),
    },
    required: members.filter((name) => name !== "params" || random.chance(0.7)),
  };
  return {
    $schema: maker.dialect(),
    [at]: {
      ...maker.definitions(),
      [`${message}Request`]: request,
      [`${message}Result`]: random.chance(0.5)
        ? maker.schema(3)
        : { type: "object", properties: { b: maker.schema(2) } },
      ClientRequest: { anyOf: [definition(`${message}Request`)] },
      ServerResult: { anyOf: [definition(`${message}Result`)] },
    },
  };
}

/** A tool with random schemas. @param vocabulary names of definitions and members */
export function randomTool(index: number, vocabulary?: Vocabulary, name = `tool_${index}`): Tool {
  const maker = new SchemaMaker(randomFrom(`${seed}: tool ${index}`), spellingOf(index), true, vocabulary);
  return { name, inputSchema: maker.document(true), outputSchema: maker.document(false) };
}
