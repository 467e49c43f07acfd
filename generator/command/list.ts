import type { JsonObject } from "@mcpgen/engine";
import { type Contract, type ContractList, nouns } from "../contract/contract.js";
import { type Paint, columns, counted } from "../print/terminal-text.js";
import { contractSource } from "./contract-source.js";
import type { CommandContext, RunCommand, Outcome } from "./command.js";
import { type Finding, findingOfError } from "../diagnostics/coded-error.js";
import { promptSignature, toolSignature } from "./signature.js";
import { expectServer, serverOptions } from "./server-options.js";
import { knownServers, sourceOrServer } from "./servers/named-servers.js";

/** Shows what a server offers, as signatures. Without a SOURCE, lists the servers that have a name. */
export const list: RunCommand = async (args, context) => {
  const named = args.string("source");
  if (named === undefined) return serversByName(context);
  const source = await sourceOrServer(named, args, context);
  expectServer(args, [source], context.directory);
  const { contract, name, findings } = await contractSource(source, serverOptions(args, context), context, {
    needed: [],
  });
  const entries = entriesOf(contract);
  return {
    findings,
    text: [
      context.console.paint("bold", `${contract.name} ${contract.version}`),
      ...entries.flatMap((group) => groupText(group, context)),
    ].join("\n"),
    summary: `${name}: ${entries.map((group) => counted(group.items.length, nouns[group.list])).join(", ") || "nothing"}`,
    data: {
      name: contract.name,
      version: contract.version,
      ...Object.fromEntries(entries.map((group) => [group.list, group.items.map(entryData)])),
    },
  };
};

/** An entry of one of a server's lists. */
interface Item {
  readonly signature: string;
  readonly entry: JsonObject;
}

interface Group {
  readonly list: ContractList;
  readonly items: readonly Item[];
}

/** Shows an entry of each list, in the order of a contract. */
const signatures: Readonly<Record<ContractList, (entry: JsonObject) => string>> = {
  tools: toolSignature,
  resources: ({ uri }) => String(uri),
  resourceTemplates: ({ uriTemplate }) => String(uriTemplate),
  prompts: promptSignature,
};

/** The lists that are not empty. */
function entriesOf(contract: Contract): Group[] {
  const groups = (Object.keys(signatures) as ContractList[]).map((list): Group => {
    const entries = (contract[list] ?? []) as unknown as readonly JsonObject[];
    return { list, items: entries.map((entry) => ({ signature: signatures[list](entry), entry })) };
  });
  return groups.filter(({ items }) => items.length > 0);
}

function groupText({ list: name, items }: Group, { console }: CommandContext): string[] {
  const { verbose } = console.settings;
  return [
    "",
    console.paint("cyan", `${nouns[name]}s`),
    ...items.flatMap((item) => itemText(item, console.paint, verbose)),
  ];
}

function itemText({ signature, entry }: Item, paint: Paint, verbose: boolean): string[] {
  const lines = signature.split("\n").map((line) => `  ${line}`);
  const about = [entry["title"] ?? entry["name"], entry["mimeType"]]
    .filter((text): text is string => typeof text === "string" && !signature.startsWith(`${text}(`))
    .join(", ");
  const described = typeof entry["description"] === "string" ? entry["description"].trim() : "";
  const [first = "", ...more] = described.split(/\r?\n/);
  const shown = verbose
    ? [first, ...more]
    : [more.length > 0 || first.length > 120 ? `${first.slice(0, 119)}…` : first];
  return [
    ...lines,
    ...[about, ...shown].filter((line) => line !== "").map((line) => `    ${paint("dim", line)}`),
  ];
}

function entryData({ signature, entry }: Item): object {
  return { signature, ...entry };
}

async function serversByName(context: CommandContext): Promise<Outcome> {
  const findings: Finding[] = [];
  const servers = await knownServers(context, (error) =>
    findings.push({ ...findingOfError(error), code: "MG2202", severity: "warning" }),
  );
  return {
    findings,
    ...(servers.length > 0 && { text: columns(servers.map(({ name, host, file }) => [name, host, file])) }),
    summary:
      servers.length === 0
        ? "no configuration of a host names a server here; see `mcpgen list --help`"
        : `${counted(servers.length, "server")} with a name; \`mcpgen list NAME\` shows what one offers`,
    data: { servers },
  };
}
