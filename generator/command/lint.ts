import { resolve, basename } from "node:path";
import { pointerTokens, groupBy } from "@mcpgen/engine";
import { hostNames } from "../lint/host-rows.js";
import { type LintProblem, type ToolCost, lintContract, toolCosts } from "../lint/lint-contract.js";
import { type Profile, everydayProfiles, profiles, usualProfiles } from "../lint/rule.js";
import { type ServerSource, shownSource, isServerSource } from "../capture/server-source.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { type Arguments, type CommandContext, type RunCommand, type Outcome, together } from "./command.js";
import { type ContractSource, contractSource, writtenSource } from "./contract-source.js";
import { columns, counted, shortList, shownPath } from "../print/terminal-text.js";
import { openProject } from "./project.js";
import { expectServer, serverOptions } from "./server-options.js";
import { sourceOrServer } from "./servers/named-servers.js";
import type { Contract, ContractDocument } from "../contract/contract.js";
import { overNewestBase } from "../extension/add/bases.js";
import { type ExtensionSource, readStoredExtension, newestExtensions } from "../extension/extension-store.js";
import { type MemberProblem, concernsContract, memberProblems } from "../lint/extension-members.js";
import { readLock, ownSchemaFolder, revisionsFolder } from "../revision/lock.js";
import { readRegularFile, decodeText, encodeLike } from "../files/regular-file.js";
import { kindOfSource } from "../files/source.js";
import { textIn, userFiles } from "../files/user-files.js";
import { unifiedDiff } from "../files/unified-diff.js";
import { WriteRoot } from "../files/held-folder.js";
import { writeFiles } from "../files/writer.js";
import { readContract } from "../contract/read-contract.js";

/** Maximum number of rows in the cost table. */
const mostRows = 20;

/**
 * Reports three things about a contract: parts of tools that hosts reject, invalid members of extensions, and
 * each tool's share of a model's context.
 */
export const lint: RunCommand = async (args, context) => {
  const named = args.string("source");
  if (args.flag("fix") && named === undefined) throw nothingToWrite("no SOURCE");
  const code = await codeOutcome(args, context);
  if (named === undefined && code === undefined)
    throw new CodedError("MG2003", "expected contract FILE, URL, stdio:…, the name of a server, or -", {
      next: "Give one, or code with --code PATH; see `mcpgen lint --help`.",
    });
  const outcome = named === undefined ? undefined : await contractOutcome(named, args, context);
  return code && outcome ? together(outcome, code) : (code ?? outcome)!;
};

async function contractOutcome(named: string, args: Arguments, context: CommandContext): Promise<Outcome> {
  const source = await sourceOrServer(named, args, context);
  const budget = budgetOf(args);
  const asked = profilesOf(args);
  expectServer(args, [source], context.directory);
  const fixing = args.flag("fix");
  if (fixing && !isFileSource(source)) throw nothingToWrite(shownSource(source));
  const found = await contractSource(source, serverOptions(args, context), context, {
    ...{ needed: ["tools"], asSent: true },
  });
  const fixed = fixing
    ? await fixContract(source as string, asked, args.flag("dry-run"), context)
    : undefined;
  const document = fixed ? writtenSource(fixed.document) : found;
  const problems = lintContract(document.contract, asked, document.revision);
  const costs = toolCosts(document.contract);
  const dear = budget === undefined ? [] : costs.filter(({ tokens }) => tokens > budget);
  const overBudgets = dear.map((cost) => overBudget(cost, budget!, document));
  const byTool = [...groupBy(problems, ({ rule, tool }) => JSON.stringify([rule.id, tool])).values()];
  const ofMembers = await memberFindings(
    document,
    (await openProject(args, context, { optional: true })).schemaDir,
  );
  const { format, verbose } = context.console.settings;
  const byRule =
    verbose || format !== "text" ? byTool : [...groupBy(problems, ({ rule }) => rule.id).values()];
  const findings = [
    ...document.findings,
    ...byRule.map((group) => findingOf(group, document)),
    ...ofMembers,
    ...overBudgets,
  ];
  const total = costs.reduce((sum, { tokens }) => sum + tokens, 0);
  const others = [...document.findings, ...ofMembers, ...overBudgets].map(({ severity }) => severity);
  const levels = [...others, ...byTool.map(([first]) => first!.level)];
  const errors = levels.filter((level) => level === "error").length;
  const steps = [...(fixed?.steps ?? []), ...(costs.length > 0 ? [costTable(costs)] : [])];
  return {
    findings,
    ...(steps.length > 0 && { steps: steps.join("\n") }),
    summary:
      (fixed ? `${fixed.summary}; ` : "") +
      `${counted(costs.length, "tool")}, about ${total} tokens; for ${asked.join(", ")}: ` +
      `${counted(errors, "error")}, ${counted(levels.length - errors, "warning")}` +
      (byRule.length < byTool.length ? "; --verbose lists them by tool" : ""),
    data: {
      profiles: asked,
      problems: problems.map(problemData),
      ...fixed?.data,
      tools: costs,
      tokens: total,
    },
  };
}

/** A problem as `--json` shows it. */
function problemData({
  rule,
  level,
  tool,
  profiles,
  pointer,
  message,
}: LintProblem): Record<string, unknown> {
  return { rule: rule.id, level, tool, profiles, pointer, message };
}

/** Findings about the code that `--code` names. Without it, the TypeScript compiler is not loaded. */
async function codeOutcome(args: Arguments, context: CommandContext): Promise<Outcome | undefined> {
  const named = args.string("code");
  if (named === undefined) return undefined;
  const { findings, tools, replayed } = await linted(resolve(context.directory, named), context);
  const judged = `${counted(tools, "tool")} with tasks, ${counted(replayed, "handler")} with replay: true`;
  return {
    findings,
    summary: `${named}: ${judged}, ${counted(findings.length, "warning")}`,
    data: { code: { tools, replayed } },
  };
}

async function linted(path: string, { directory }: CommandContext) {
  const { lintCode } = await import("../lint/code/lint-code.js");
  return lintCode(path, (file) => shownPath(file, directory));
}

/** Words of which every rule about code needs one. */
const ruled = /\b(?:support|onRestart|replay|parking|createHttpHandler)\b/;

/** Findings about the code of a project's server. Without those words, the code is not parsed. */
export async function codeFindings(folder: string, context: CommandContext): Promise<readonly Finding[]> {
  const { code } = userFiles(folder, new Set());
  return code.some((file) => ruled.test(textIn(file))) ? (await linted(folder, context)).findings : [];
}

/** @throws CodedError MG2004 for a budget that is not a number of tokens */
function budgetOf(args: Arguments): number | undefined {
  const given = args.string("budget");
  if (given === undefined || /^[1-9]\d{0,8}$/.test(given))
    return given === undefined ? undefined : Number(given);
  throw new CodedError("MG2004", `expected --budget to be a number of tokens, got ${JSON.stringify(given)}`, {
    next: "Give a whole number from 1 on, e.g. --budget 500.",
  });
}

/** Whom to judge for: the models of `--profile` and the hosts of `--host`. Without both, the usual models. */
function profilesOf(args: Arguments): readonly Profile[] {
  const given = ["profile", "host"].flatMap((option) => args.strings(option) ?? []);
  return given.length === 0
    ? usualProfiles
    : [...profiles, ...hostNames].filter((profile) => given.includes(profile));
}

/** The problems of a contract in development, one finding for each rule. */
export function lintFindings(
  contract: ContractSource["contract"],
  document: Pick<ContractSource, "place">,
): Finding[] {
  const byRule = groupBy(lintContract(contract, everydayProfiles), ({ rule }) => rule.id);
  return [...byRule.values()].map((group) => findingOf(group, document));
}

function findingOf(group: readonly LintProblem[], { place }: Pick<ContractSource, "place">): Finding {
  const { rule, level, judges, pointer } = group[0]!;
  const tools = [...new Set(group.map(({ tool }) => tool))];
  const places = new Set(group.map((problem) => problem.pointer)).size;
  const where = places > tools.length ? ` in ${places} places` : "";
  const messages = shortList([...new Set(group.map(({ message }) => message))], 4);
  const what = tools.length > 1 ? (rule.several ?? messages) : messages;
  return {
    ...(level === "error" ? { code: "MG6601", severity: "error" } : { code: "MG6602", severity: "warning" }),
    message: `${toolsText(tools)}: ${what}${where} (${rule.id}: ${judges.join(", ")})`,
    place: place(pointer),
    next: rule.fix,
  };
}

function toolsText(tools: readonly string[]): string {
  const names = tools.map((tool) => JSON.stringify(tool));
  return tools.length === 1 ? `tool ${names[0]!}` : `${tools.length} tools (${shortList(names, 3)})`;
}

function overBudget(
  { tool, tokens, bytes, pointer }: ToolCost,
  budget: number,
  { place }: ContractSource,
): Finding {
  return {
    code: "MG6603",
    severity: "error",
    message: `tool ${JSON.stringify(tool)}: about ${tokens} tokens (${bytes} bytes), expected at most ${budget}`,
    place: place(pointer),
    next: "Shorten its description and schema, or split it.",
  };
}

/** A table of the costs of tools, most expensive first. */
function costTable(costs: readonly ToolCost[]): string {
  const dearest = [...costs].sort((a, b) => b.bytes - a.bytes);
  const rows = dearest
    .slice(0, mostRows)
    .map(({ tool, bytes, tokens }) => [tool, `${bytes} bytes`, `about ${tokens} tokens`]);
  const more = costs.length > mostRows ? `\n… and ${counted(costs.length - mostRows, "smaller one")}` : "";
  return columns(rows) + more;
}

/**
 * Findings about members that extensions add to entries of a contract. Uses the newest versions in the schema
 * folder, and mcpgen's own version of other extensions. Compiles only the extensions whose members the
 * contract can contain.
 *
 * @throws CodedError for a stored extension that does not compile, as `generate` does
 */
async function memberFindings(source: ContractSource, schemaDir: string): Promise<Finding[]> {
  const { contract, place } = source;
  if (!hasEntries(contract)) return [];
  const own = newestExtensions(schemaDir);
  const ids = new Set(own.map(({ id }) => id));
  const shipped = newestExtensions(ownSchemaFolder).filter(({ id }) => !ids.has(id));
  const findings: Finding[] = [];
  for (const [stored, folder] of [
    ...own.map((one) => [one, schemaDir] as const),
    ...shipped.map((one) => [one, ownSchemaFolder] as const),
  ]) {
    const revisions = [...readLock(revisionsFolder(folder)).keys()];
    const extension = await readStoredExtension(stored, revisions);
    const model = concerns(contract, extension) ? await overNewestBase(extension, folder) : undefined;
    if (!model) continue;
    findings.push(...memberProblems(contract, model).map((problem) => memberFinding(problem, place)));
  }
  return findings;
}

function hasEntries({ tools, resources, resourceTemplates, prompts }: Contract): boolean {
  return [tools, resources, resourceTemplates, prompts].some((list) => (list?.length ?? 0) > 0);
}

/** Whether the contract can contain a member that the extension's notes describe. */
function concerns(contract: Contract, { notes }: ExtensionSource): boolean {
  return notes.some(
    (note) =>
      note.kind === "member" &&
      note.targets.some((target) =>
        concernsContract(contract, {
          of: pointerTokens(target.slice("base#".length)).at(-1)!,
          path: note.member,
          required: note.required ?? false,
        }),
      ),
  );
}

function memberFinding(
  { kind, entry, others, pointer, message, next }: MemberProblem,
  place: ContractSource["place"],
): Finding {
  const finding = {
    message: `${entry}${others > 0 ? ` and ${others} more` : ""}: ${message}`,
    place: place(pointer),
    next,
  };
  if (kind === "undeclared") return { code: "MG6605", severity: "warning", ...finding };
  return kind === "wrong"
    ? { code: "MG6604", severity: "error", ...finding }
    : { code: "MG6604", severity: "warning", ...finding };
}

/** The result of `--fix`, or of its dry run. */
interface Fixed {
  /** The fixed contract. */
  readonly document: ContractDocument;
  /** One line for each rule and tool; under `--dry-run` also a diff. */
  readonly steps: readonly string[];
  readonly summary: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Maximum number of diff lines shown. */
const shownLines = 200;

/** Whether a SOURCE is a file, not a server, a URL or standard input. */
function isFileSource(source: ServerSource): boolean {
  return typeof source === "string" && !isServerSource(source) && kindOfSource(source) === "file";
}

/** Error for `--fix` without a contract file. */
function nothingToWrite(source: string): CodedError {
  return new CodedError("MG6608", `--fix changes a contract file, got ${source}`, {
    next: "Correct the code of the server; or write its contract with `mcpgen capture` and fix that file.",
  });
}

/**
 * Fixes a contract file.
 *
 * @param dryRun shows the changes without writing
 * @throws CodedError MG30xx if the file cannot be written
 */
async function fixContract(
  source: string,
  profiles: readonly Profile[],
  dryRun: boolean,
  { directory }: CommandContext,
): Promise<Fixed> {
  const { mendContract } = await import("../lint/mend.js");
  const file = resolve(directory, source);
  const shown = shownPath(file, directory);
  const bytes = readRegularFile(file);
  const before = await readContract(decodeText(bytes, shown), shown);
  const { document, mended } = await mendContract(before, profiles);
  const writes = mended.length > 0 && !dryRun;
  if (writes)
    writeFiles(WriteRoot.ofFile(file, directory), [
      { path: basename(file), content: encodeLike(bytes, document.text) },
    ]);
  const difference = dryRun && mended.length > 0 ? [unifiedDiff(before.text, document.text, shownLines)] : [];
  return {
    document,
    steps: [...fixLines(mended), ...difference],
    summary: `${counted(mended.length, "fix", "fixes")} ${dryRun ? "possible (--dry-run)" : "made"} in ${shown}`,
    data: {
      file: shown,
      written: writes,
      fixed: mended.map(({ rule, tool, pointer, message }) => ({ rule: rule.id, tool, pointer, message })),
    },
  };
}

/** One line for each rule and tool. */
function fixLines(mended: readonly LintProblem[]): string[] {
  const counts = new Map<string, number>();
  for (const { rule, tool } of mended) {
    const line = `fixed ${rule.id}: tool ${JSON.stringify(tool)}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line}, ${count} places`));
}
