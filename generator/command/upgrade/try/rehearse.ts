import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { posix } from "node:path";
import { ts } from "ts-morph";
import { type JsonObject, type JsonValue, type Schema, isJsonObject, pointerTokens } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { runProgram } from "../../../capture/process-group.js";
import { CodedError } from "../../../diagnostics/coded-error.js";
import { readRegularText } from "../../../files/regular-file.js";
import type { ProtocolModel, Method, Role } from "../../../model/model.js";
import type { Conversation, RehearsalPlan, RevisionWords, SampledAsk, SampledRequest } from "./plan.js";
import { authoredSchema } from "../../../targets/typescript/authoring/authored-schema.js";
import { randomFrom } from "../../../sample/values.js";
import { minimalValid, sampleValid } from "../../../sample/sample.js";
import { byHand } from "../handwritten.js";
import { capabilityRoots, nodesAt } from "../new-methods.js";

/** Generated output and the models that it was generated from. */
export interface Output {
  readonly files: ReadonlyMap<string, string>;
  /** Oldest first. */
  readonly models: readonly ProtocolModel[];
}

/**
 * Runs sessions between a server and a client on generated output, in a separate process without the
 * environment variables of this one.
 *
 * @param vocabulary the revision whose types handlers and calls use
 * @throws CodedError MG3115 if the process fails
 */
export async function rehearse({ files, models }: Output, vocabulary: string): Promise<Conversation[]> {
  const plan: RehearsalPlan = {
    modules: compiledModules(files, [
      ...["server", "client", "listed"],
      ...models.map(({ revision }) => `${revision}/methods`),
    ]),
    from: import.meta.url,
    vocabulary,
    revisions: models.map(wordsOf),
  };
  return JSON.parse(await run(programWords(), JSON.stringify(plan))) as Conversation[];
}

/** The arguments that start the program: its file, or its source text if mcpgen runs from its sources. */
function programWords(): string[] {
  const built = fileURLToPath(new URL("./command/upgrade/try/conversations.js", import.meta.url));
  if (existsSync(built)) return [built];
  const source = readRegularText(fileURLToPath(new URL("./conversations.ts", import.meta.url)));
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return ["--input-type=module", "-e", outputText];
}

/** Time limit of the process in milliseconds. */
const longestRun = 300_000;

async function run(words: readonly string[], input: string): Promise<string> {
  const printed = { stdout: "", stderr: "" };
  const [code] = await runProgram(process.execPath, ["--no-warnings", ...words], {
    // Not in the project's folder, whose `.env` or packages must not affect the process.
    cwd: "/",
    env: { NODE_ENV: "production" },
    signal: AbortSignal.timeout(longestRun),
    input,
    heard: (text, from) => void (printed[from] += text),
  });
  if (code === 0) return printed.stdout;
  const line = printed.stderr.split("\n").find((each) => /\S/.test(each)) ?? "it ended without a message";
  throw new CodedError("MG3115", `the process of the conversations failed: ${line}`, {
    next: "Run `mcpgen upgrade` without --try, and report this as a fault of mcpgen.",
    detail: printed.stderr,
  });
}

/** Number of random samples per definition, besides the smallest value. */
const drawn = 4;

/**
 * Samples of everything that applications of a revision write, without messages that the runtime writes
 * itself.
 */
function wordsOf(model: ProtocolModel): RevisionWords {
  const { schema } = authoredSchema(model);
  const methods = model.methods.filter(({ name }) => !byHand.has(name));
  const sent = (kind: Method["kind"], sender: Role): readonly Method[] =>
    methods.filter((method) => method.kind === kind && method.senders.includes(sender));
  const announced = (sender: Role): SampledAsk[] =>
    sent("notification", sender)
      .filter(({ filter }) => filter === undefined)
      .map((method) => sampledParams(method, schema));
  return {
    id: model.revision,
    capabilities: capabilitiesOf(model),
    requests: sent("request", "client").flatMap((method) => sampledRequest(method, model, schema)),
    asks: sent("request", "server").map((method) => sampledParams(method, schema)),
    notifications: { client: announced("client"), server: announced("server") },
    changes: sent("notification", "server")
      .filter(({ filter }) => filter !== undefined)
      .map(({ name, filterKey: key }) => ({ method: name, ...(key !== undefined && { key }) })),
  };
}

function sampledRequest(method: Method, model: ProtocolModel, schema: Schema): SampledRequest[] {
  const definition = method.result?.definition;
  if (method.payload || definition === undefined) return [];
  const results = samples(schema, definition).filter(isJsonObject);
  const { params } = sampledParams(method, schema);
  if (results.length === 0 || params.length === 0) return [];
  // In the legacy era, servers can send requests while any client request runs. Otherwise only
  // multi-round-trip methods can carry them, in results.
  const asks = model.era === "legacy" || method.multiRoundTrip;
  return [{ method: method.name, asks, params, results }];
}

function sampledParams({ name, message }: Method, schema: Schema): SampledAsk {
  const { node } = schema.definitions.get(message)!;
  const params = samples(schema, message).flatMap((value): JsonValue[] => {
    if (!isJsonObject(value)) return [];
    const given = value["params"];
    if (!isJsonObject(given)) return [{}];
    // Members of `_meta` such as `progressToken` would have side effects.
    const { _meta: _, ...plain } = given;
    return [isValid(schema, node, { ...value, params: plain }) ? plain : given];
  });
  return { method: name, params: distinct(params) };
}

/** The smallest valid value of a definition, and random ones whose seed is the definition's name. */
function samples(schema: Schema, definition: string): JsonValue[] {
  const random = randomFrom(`${definition}: rehearsal`);
  const values = [
    minimalValid(schema, definition),
    ...Array.from({ length: drawn }, () => sampleValid(schema, definition, random)),
  ];
  return distinct(values.flatMap((value) => (value === undefined ? [] : [value])));
}

function distinct(values: readonly JsonValue[]): JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** Every server capability that a method needs. */
function capabilitiesOf(model: ProtocolModel): JsonObject {
  const declared: JsonObject = {};
  const roots = capabilityRoots(model, "server");
  for (const { capabilities } of model.methods)
    for (const { of, path } of capabilities) {
      if (of !== "server") continue;
      const tokens = pointerTokens(path);
      const isFlag = roots.some((root) =>
        nodesAt(model.schema, root, path).some(({ types }) => types?.includes("boolean")),
      );
      declare(declared, tokens, isFlag);
    }
  return declared;
}

function declare(holder: JsonObject, [token, ...rest]: readonly string[], isFlag: boolean): void {
  if (token === undefined) return;
  const present = holder[token];
  if (rest.length === 0) {
    if (!isJsonObject(present)) holder[token] = isFlag ? true : {};
    return;
  }
  const inside = isJsonObject(present) ? present : {};
  holder[token] = inside;
  declare(inside, rest, isFlag);
}

/** The JavaScript of `entries` and the modules that they import statically, by path without extension. */
function compiledModules(
  files: ReadonlyMap<string, string>,
  entries: readonly string[],
): { [path: string]: string } {
  const modules: { [path: string]: string } = {};
  const pending = entries.filter((path) => files.has(`${path}.ts`));
  // Iterating over an array includes elements added during the loop.
  for (const path of pending) {
    const { outputText } = ts.transpileModule(files.get(`${path}.ts`)!, { compilerOptions });
    modules[path] = outputText;
    for (const [, from] of outputText.matchAll(/^(?:import|export)\b[^;]*?from "(\.{1,2}\/[^"]+)"/gm)) {
      const target = posix.join(posix.dirname(path), from!).replace(/\.[jt]s$/, "");
      if (files.has(`${target}.ts`) && !pending.includes(target)) pending.push(target);
    }
  }
  return modules;
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: false,
};
