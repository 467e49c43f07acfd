import type { Client } from "@mcpgen/runtime";
import { HeldSkill, VerificationError, allSkills } from "../skills-client/held-skill.js";

interface Context {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
}

type Scenario = (client: Client, context: Context) => Promise<void>;

/** Calls every tool there is, with something for each required argument. */
async function callAll(client: Client): Promise<void> {
  const { items } = await client.listTools();
  for (const { name, inputSchema } of items) await client.callTool(name, argumentsFor(inputSchema));
}

function argumentsFor({ properties = {}, required = [] }: Record<string, unknown>): object {
  const known = properties as Record<string, { readonly type?: string }>;
  return Object.fromEntries((required as string[]).map((name) => [name, sampleOf(known[name]?.type)]));
}

function sampleOf(type: string | undefined): unknown {
  return { integer: 1, number: 1, boolean: true, object: {}, array: [] }[type ?? ""] ?? "text";
}

const all = async (client: Client): Promise<void> => {
  const { tools, resources, prompts } = client.serverCapabilities;
  if (tools) await callAll(client);
  if (resources) for (const { uri } of (await client.listResources()).items) await client.readResource(uri);
  if (prompts)
    for (const { name, arguments: wanted = [] } of (await client.listPrompts()).items)
      await client.getPrompt(name, Object.fromEntries(wanted.map((argument) => [argument.name, "text"])));
};

/** Loads each skill, and then reads its other files, unless it is not what its entry says. */
async function loadSkills(client: Client): Promise<void> {
  for (const entry of await allSkills(client)) {
    try {
      const skill = await HeldSkill.load(client, entry);
      if (entry.resources === "dynamic") continue;
      for (const { uri } of entry.resources) if (uri !== entry.uri) await skill.read(uri);
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      console.error(error.message);
    }
  }
}

/** What to do in a scenario; in any other, everything. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  everything: all,
  tools_call: async (client) => {
    await client.listTools();
    await client.callTool("add_numbers", { a: 5, b: 3 });
  },
  "http-custom-headers": async (client, { toolCalls = [] }) => {
    await client.listTools();
    for (const { name, arguments: args } of toolCalls) await client.callTool(name, args);
  },
  "json-schema-2020-12-preservation": async (client) => {
    const { items } = await client.listTools();
    const schema = items.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
    await client.callTool("json_schema_echo", { schema });
  },
  "json-schema-ref-no-deref": async (client) => {
    await client.listTools();
  },
  "sep-2640-client-no-prefetch": async (client) => {
    await allSkills(client);
  },
  "sep-2640-client-verify-digest": loadSkills,
  "sep-2640-client-verify-size": loadSkills,
  "sep-2640-client-verify-frontmatter": loadSkills,
};
