import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import type { Contract, ContractTool } from "../../contract/contract.js";
import { type ToolSchemas, readToolSchemas } from "../../contract/emit/tool-schemas.js";
import { type LintProblem, type ToolCost, lintContract, toolCosts } from "../../lint/lint-contract.js";
import type { Profile } from "../../lint/rule.js";
import { counted, groupedBy } from "../../print/terminal-text.js";
import { stringLiteral } from "../../print/text.js";
import { minimalRoot } from "../../sample/sample.js";
import { type ServerStart, connectPart, exampleUrl } from "./connect.js";
import { anchor, longestName, shortened } from "../html.js";
import type { Badge, Entry, Fact, Figure, Part, Reading, Remark, Section } from "../reading.js";
import { membersOf, ownType } from "../schema-members.js";

/** Inputs of a server's page besides its contract. */
export interface OfferSources {
  /** The server's name in messages and in client code. */
  readonly name: string;
  /** Its name in hosts. */
  readonly hostName: string;
  readonly start: ServerStart;
  /** The profiles (model interfaces) that tools are checked for; empty leaves findings out. */
  readonly profiles: readonly Profile[];
}

/**
 * The content of a server's page: tools with cost and findings, prompts, resources. All texts are untrusted.
 */
export function offerReading(contract: Contract, sources: OfferSources): Reading {
  const { name, version, title, instructions, capabilities = {}, tools = [] } = contract;
  const { prompts = [], resources = [], resourceTemplates = [] } = contract;
  const costs = toolCosts(contract);
  const total = costs.reduce((sum, { tokens }) => sum + tokens, 0);
  const { profiles } = sources;
  const problems = groupedBy(
    profiles.length === 0 ? [] : lintContract(contract, profiles),
    ({ tool }) => tool,
  );
  const schemas = readToolSchemas(contract);
  const where = sources.start.kind === "unknown" ? exampleUrl : sources.name;
  const sections: Section[] = [
    {
      ...{ id: "tools", title: "Tools" },
      entries: tools.map((tool, index) =>
        toolEntry(tool, {
          cost: costs[index]!,
          problems: problems.get(tool.name) ?? [],
          schemas: schemas[index]!,
          where,
        }),
      ),
    },
    { id: "prompts", title: "Prompts", entries: prompts.map((prompt) => promptEntry(prompt, where)) },
    {
      ...{ id: "resources", title: "Resources" },
      entries: resources.map((each) =>
        resourceEntry({ ...each, address: each.uri, kind: "resource" }, where),
      ),
    },
    {
      ...{ id: "templates", title: "Resource templates" },
      entries: resourceTemplates.map((each) =>
        resourceEntry({ ...each, address: each.uriTemplate, kind: "template" }, undefined),
      ),
    },
  ];
  return {
    title: title ?? name,
    ...(instructions !== undefined && { description: instructions }),
    figures: [
      { count: tools.length, label: "tools", to: "tools" },
      { count: total, label: "tokens" },
      { count: prompts.length, label: "prompts", to: "prompts" },
      {
        count: resources.length + resourceTemplates.length,
        label: "resources",
        to: resources.length > 0 ? "resources" : "templates",
      },
      ...findingFigures([...problems.values()].flat()),
    ].filter(({ count }) => count > 0),
    facts: [
      { name: "Server", value: [`${name} ${version}`] },
      { name: "Source", value: [{ code: sources.name }] },
      { name: "Capabilities", value: [Object.keys(capabilities).join(", ") || "none declared"] },
    ],
    parts: [connectPart(sources.hostName, sources.start)],
    filters:
      problems.size > 0
        ? [
            {
              name: "lint",
              label: "Findings",
              values: [
                ["error", "errors"],
                ["warning", "warnings"],
              ],
            },
          ]
        : [],
    sections: unique(sections.filter(({ entries }) => entries.length > 0)),
    notes: [
      `Tokens are estimated: a quarter of the bytes of the tool in tools/list.${profiles.length === 0 ? "" : ` Findings are for ${profiles.join(", ")}.`}`,
    ],
  };
}

function findingFigures(problems: readonly LintProblem[]): Figure[] {
  return (["error", "warning"] as const).map((kind) => ({
    count: problems.filter(({ level }) => level === kind).length,
    label: `lint ${kind}s`,
    kind,
  }));
}

/** Makes ids unique: a server may use a name twice, and the second entry gets another id. */
function unique(sections: readonly Section[]): Section[] {
  const seen = new Map<string, number>();
  const addressed = (entry: Entry): Entry => {
    const count = (seen.get(entry.id) ?? 0) + 1;
    seen.set(entry.id, count);
    return count === 1 ? entry : { ...entry, id: `${entry.id}~${count}` };
  };
  return sections.map((section) => ({ ...section, entries: section.entries.map(addressed) }));
}

interface OfTool {
  readonly cost: ToolCost;
  readonly problems: readonly LintProblem[];
  readonly schemas: ToolSchemas;
  readonly where: string;
}

function toolEntry(tool: ContractTool, { cost, problems, schemas, where }: OfTool): Entry {
  const { name, title, description, annotations = {}, task, scopes = [] } = tool;
  const levels = [...new Set(problems.map(({ level }) => level))];
  return {
    id: anchor("tool", name),
    name,
    badges: [
      { text: `about ${cost.tokens} tokens` },
      ...hints(annotations),
      ...(task ? [{ text: `task: ${task.support}` }] : []),
      ...levels.map((level): Badge => ({
        text: counted(problems.filter((problem) => problem.level === level).length, `lint ${level}`),
        kind: level,
      })),
    ],
    ...(description !== undefined && { description }),
    facts: [...titleFact(title), ...scopesFact(scopes)],
    remarks: [
      ...problems.slice(0, mostRemarks).map(remarkOf),
      ...schemas.unread.map(({ part, message }): Remark => ({
        kind: "warning",
        text: `${part} cannot be read: ${message}`,
      })),
    ],
    parts: [
      ...schemaParts("Arguments", schemas.input, tool.inputSchema),
      ...(tool.outputSchema ? schemaParts("Structured result", schemas.output, tool.outputSchema) : []),
      snippet(
        where,
        `const result = await client.callTool(${nameLiteral(name)}, ${exampleText(schemas)});\nconsole.log(result.content);`,
      ),
    ],
    values: { lint: levels },
  };
}

/** Maximum number of remarks; a rule can have hundreds of places in one schema. */
const mostRemarks = 12;

function remarkOf({ rule, level, profiles, message }: LintProblem): Remark {
  return { kind: level, text: `${message} (${rule.id}: ${profiles.join(", ")}). ${rule.fix}` };
}

function hints(annotations: JsonObject): Badge[] {
  return Object.entries(annotations)
    .filter(([key, value]) => key.endsWith("Hint") && typeof value === "boolean")
    .map(([key, value]) => ({ text: `${value ? "" : "not "}${key.slice(0, -"Hint".length)}` }));
}

function titleFact(title: string | undefined): Fact[] {
  return title === undefined ? [] : [{ name: "Title", value: [title] }];
}

function scopesFact(scopes: readonly string[]): Fact[] {
  return scopes.length === 0 ? [] : [{ name: "Scopes", value: [{ code: scopes.join(" ") }] }];
}

/** The parts about a schema: its members, and the schema document. */
function schemaParts(title: string, schema: ToolSchemas["input"] | undefined, written: JsonObject): Part[] {
  const noLink = (): undefined => undefined;
  const root = schema?.root;
  const members = root ? [...ownType(root, noLink), ...membersOf(root, noLink)] : [];
  const definitions = [...(schema?.definitions.values() ?? [])].map(({ name, node }) => ({
    ...{ name: `${name} =`, type: [{ code: "definition" }], facts: [] },
    members: [...ownType(node, noLink), ...membersOf(node, noLink)],
  }));
  return [
    { title, open: true, kind: "members", members: [...members, ...definitions] },
    { title: `${title}: JSON Schema`, kind: "json", value: written },
  ];
}

/** The smallest valid arguments, as code. */
function exampleText({ input }: ToolSchemas): string {
  const value = minimalRoot(input);
  return isJsonObject(value) ? shortened(JSON.stringify(value, undefined, 2), 2_000) : "{}";
}

type Prompt = NonNullable<Contract["prompts"]>[number];

function promptEntry(
  { name, title, description, arguments: args = [], scopes = [] }: Prompt,
  where: string,
): Entry {
  const given = args.filter(({ required }) => required).map((each) => [each.name, "…"]);
  return {
    ...{ id: anchor("prompt", name), name, facts: [...titleFact(title), ...scopesFact(scopes)] },
    ...(description !== undefined && { description }),
    parts: [
      {
        ...{ title: "Arguments", open: true, kind: "members" },
        members: args.map((each) => ({
          ...{ name: each.name, required: each.required === true, type: [{ code: "string" }], facts: [] },
          ...(each.description !== undefined && { description: each.description }),
        })),
      },
      snippet(
        where,
        `const { messages } = await client.getPrompt(${nameLiteral(name)}, ${JSON.stringify(Object.fromEntries(given))});`,
      ),
    ],
  };
}

interface Addressed {
  readonly name: string;
  readonly kind: "resource" | "template";
  readonly address: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly scopes?: readonly string[];
}

function resourceEntry(resource: Addressed, where: string | undefined): Entry {
  const { name, kind, address, title, description, mimeType, scopes = [] } = resource;
  return {
    ...{ id: anchor(kind, address), name },
    ...(description !== undefined && { description }),
    facts: [
      { name: kind === "resource" ? "URI" : "URI template", value: [{ code: address }] },
      ...titleFact(title),
      ...(mimeType === undefined ? [] : [{ name: "Media type", value: [{ code: mimeType }] }]),
      ...scopesFact(scopes),
    ],
    parts:
      where === undefined
        ? []
        : [snippet(where, `const { contents } = await client.readResource(${nameLiteral(address)});`)],
  };
}

function nameLiteral(name: string): string {
  return stringLiteral(shortened(name, longestName));
}

function snippet(where: string, lines: string): Part {
  const text = [
    'import { connect } from "@mcpgen/runtime/all";',
    "",
    `const client = await connect(${stringLiteral(where)});`,
    lines,
    "await client.close();",
  ].join("\n");
  return { title: "Code of a client", open: true, kind: "code", language: "ts", text };
}
