import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ServerSource, kindOfServer, shownSource } from "../../capture/server-source.js";
import type { ServerOptions } from "../../capture/with-server.js";
import type { Unlisted } from "../../contract/incomplete-lists.js";
import { comparedLists, counterpart } from "../../diff/contract/lists.js";
import { type Finding, CodedError, findingOfError } from "../../diagnostics/coded-error.js";
import { changeText, isWorse, subjectText } from "../../diff/finding.js";
import { jsonReport } from "../../diff/report/json.js";
import {
  type FailOn,
  type Report,
  type ReportedFinding,
  countsText,
  subjectsText,
  summaryOf,
  noDifference,
} from "../../diff/report/report.js";
import { isOneFinding } from "../../diff/rules/table.js";
import { type Arguments, type CommandContext, type Outcome, contextWith, together } from "../command.js";
import { type ContractSource, contractSource } from "../contract-source.js";
import {
  counted,
  operands,
  shellLine,
  shortList,
  shortText,
  shownPath,
  oneLine,
} from "../../print/terminal-text.js";
import { compareContracts, findingsBeside } from "../diff/contracts.js";
import { approvalWarnings, evaluationBy, loadApprovals, policyOf } from "../diff/policies.js";
import type { Project, ServedContract } from "../project.js";
import { expectReach, serverOptions } from "../server-options.js";
import { serverSource } from "../servers/named-servers.js";
import { scopesOf } from "../../contract/scopes.js";
import { networkAdvice, networkMessage } from "../../files/proxies.js";
import type { ServerFault, ServerInspection } from "../../login/token-stores.js";
import { pointer, groupBy } from "@mcpgen/engine";
import { type ContractConfig, isJsonConfig } from "../../config/config.js";
import type { Subject } from "../trust/trust.js";
import { contractFileName } from "../../contract/contract.js";

/** A live server and the contract to compare it with. */
interface Pairing {
  readonly source: ServerSource;
  /** The contract's file. */
  readonly file: string;
  readonly options: ServerOptions;
}

/** Compares the server that `--server` names with its contract. Writes nothing. */
export async function checkServer(
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const source = await serverSource(args.required("server"), args, context);
  const options = serverOptions(args, context);
  expectReach(args, source, context.directory);
  const file = contractFile(args, project, context);
  if (file === undefined) return judgeMetadata(source, options);
  return comparePair({ source, options, file }, args, project, context);
}

/**
 * Without a contract, checks only whether the authorization metadata of a server lets clients get a token.
 *
 * @throws CodedError MG2003 if the server has no such metadata: the comparison then needs a contract
 */
async function judgeMetadata(source: ServerSource, options: ServerOptions): Promise<Outcome> {
  const report = await metadataAlone(source, options);
  if (report === undefined) throw noContract([], "");
  const { findings, authorization } = report;
  const shown = shownSource(source);
  const found = findings.length === 0 ? "clients can get a token" : counted(findings.length, "finding");
  return {
    findings,
    summary: `${shown}: ${authorization ? found : "asks for no token"}; there is no contract to compare it with`,
    data: { ...(authorization && { authorization }) },
  };
}

/** Compares what a live server offers with its contract. Writes nothing. */
async function comparePair(
  { source, file, options }: Pairing,
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const contract = await contractSource(file, options, context);
  const { findings: metadata, authorization } = await metadataOf(source, contract, options);
  let live: ContractSource;
  try {
    const settings = { known: contract.contract, asked: contract.contract.asked };
    live = await contractSource(source, options, context, settings);
  } catch (error) {
    if (metadata.length === 0) throw error;
    return notCompared(error, metadata, shownSource(source));
  }
  const inFile = await loadApprovals(args, project, context);
  const failOn = (args.string("fail-on") as FailOn | undefined) ?? "any";
  const evaluation = evaluationBy(inFile, { ...policyOf(args, project), failOn });
  const { report, approved, unlisted } = compareContracts(contract, live, evaluation);
  // Unused approvals are reported only if the user named the file: the default file also serves other
  // comparisons.
  const unused = args.given("approvals") ? approved.unused : [];
  const beside = findingsBeside(live);
  const role = roleOf(file, project, context);
  const { format, verbose } = context.console.settings;
  const drift = grouped(
    report.findings.filter(({ approval }) => !approval),
    format === "text" && !verbose,
  ).map((group) => driftFinding(group, contract, live, role));
  const others = [
    ...(await approvalWarnings({ ...approved, unused }, inFile, context)),
    ...unlistedFindings(unlisted, contract, live),
  ];
  const findings = [...beside, ...(format === "text" ? explainedOnce(drift) : drift), ...others];
  const failed = findings.some(({ severity }) => severity === "error");
  if (args.string("format") === "html") {
    const { reportPage } = await import("../docs/report-page.js");
    return {
      failed: failed || metadata.some(({ severity }) => severity === "error"),
      text: reportPage(report, [...metadata, ...beside], project),
    };
  }
  const more = metadata.length > 0 ? `; its authorization: ${counted(metadata.length, "finding")}` : "";
  return {
    findings: [...metadata, ...findings],
    summary: summary([...beside, ...others], report) + more,
    data: { diff: jsonReport(report), ...(authorization && { authorization }) },
    ...(report.findings.some(({ fails, rule }) => fails && !isOneFinding(rule)) && {
      mend: captureLine(contract, live),
    }),
  };
}

/**
 * The command that updates the contract. It replaces the file only if the server's lists are complete: a
 * capture of incomplete lists is merged.
 */
function captureLine(contract: ContractSource, live: ContractSource): string {
  const replaces = live.contract.complete === false ? [] : ["--replace"];
  return shellLine(["mcpgen", "capture", "--out", contract.name, ...replaces, ...operands([live.name])]);
}

/** One finding for each list: entries of the contract that an incomplete list of the server does not name. */
function unlistedFindings(
  unlisted: readonly Unlisted[],
  contract: ContractSource,
  live: ContractSource,
): Finding[] {
  return comparedLists.flatMap(({ name }): Finding[] => {
    const keys = unlisted.filter(({ list, by }) => list === name && by === "old").map(({ key }) => key);
    if (keys.length === 0) return [];
    return [
      {
        code: "MG6329",
        severity: "info",
        message: `${name}: not listed by ${live.name}, whose list is incomplete: ${shortList(keys)}`,
        place: contract.place(`/${name}`),
      },
    ];
  });
}

/**
 * Outcome for a failed connection: the error, and findings about the server's authorization metadata that may
 * explain it.
 */
function notCompared(error: unknown, metadata: readonly Finding[], server: string): Outcome {
  if (!(error instanceof CodedError)) throw error;
  const { code, message, facts } = error;
  return {
    findings: [...metadata, findingOfError(error)],
    exit: error.exitCode,
    data: { error: { code, message, ...facts } },
    summary: `${server} was not compared`,
  };
}

/** The contract that `--contract` names, else the only one of the project; undefined if there is none. */
function contractFile(
  args: Arguments,
  { loaded }: Project,
  { directory }: CommandContext,
): string | undefined {
  const named = args.string("contract");
  if (named !== undefined) return named;
  const files = (loaded.config.contracts ?? []).map(({ file }) => resolve(loaded.folder, file));
  const beside = join(directory, contractFileName);
  const [only, another] = files.length === 0 && existsSync(beside) ? [beside] : files;
  if (another === undefined) return only;
  throw noContract(files, directory);
}

function noContract(files: readonly string[], directory: string): CodedError {
  return new CodedError("MG2003", "expected --contract FILE: there is no single contract to compare with", {
    next:
      files.length > 1
        ? `Name one: ${files.map((file) => shownPath(file, directory)).join(", ")}.`
        : "`mcpgen capture SOURCE` writes one.",
  });
}

/** Number of findings with one explanation up to which each has its own lines. */
const handful = 5;

/**
 * Groups the findings of a rule that is reported as a single finding. Every other finding is a group by itself.
 *
 * @param isShort groups more than a handful of findings with one explanation, too
 */
function grouped(findings: readonly ReportedFinding[], isShort: boolean): ReportedFinding[][] {
  const groups = groupBy(findings, ({ rule, level, why, advice, demoted, fails }) =>
    isOneFinding(rule) ? rule : JSON.stringify([rule, level, why, advice, demoted, fails]),
  );
  return [...groups.values()].flatMap((group) =>
    isOneFinding(group[0]!.rule) || (isShort && group.length > handful)
      ? [group]
      : group.map((each) => [each]),
  );
}

/** The findings, of which only the first has an explanation that several have. Lines of the detail are sentences. */
function explainedOnce(findings: readonly Finding[]): Finding[] {
  const explained = new Set<string | undefined>();
  return findings.map((finding): Finding => {
    const { next, detail, ...more } = finding;
    const [why, ...facts] = (detail ?? "").split("\n");
    const explanation = JSON.stringify([next, why]);
    if (!explained.has(explanation)) {
      explained.add(explanation);
      return finding;
    }
    return { ...more, ...(facts.length > 0 && { detail: facts.join("\n") }) } as Finding;
  });
}

function driftFinding(
  group: readonly ReportedFinding[],
  contract: ContractSource,
  live: ContractSource,
  role: Reader,
): Finding {
  const { rule, level, why, advice, pointers, counterexample, demoted, old, new: next, unread } = group[0]!;
  const change = changeText({ old, new: next }, (text) => shortText(text, 80));
  const place = contract.place(
    pointers.old ?? counterpart(pointers.new ?? "", live.contract, contract.contract),
  );
  const faulty =
    unread && unread !== "new"
      ? `${contract.name}${place.line === undefined ? "" : `:${place.line}`}`
      : live.name;
  const isLarge = group.length > 1 && !isOneFinding(rule);
  const shape =
    group.length > 1 || change === ""
      ? ""
      : unread
        ? `: ${faulty} cannot be read: ${old ?? next}`
        : `: ${change}`;
  const reasons =
    group.length > 1 && !isLarge ? group.map((each) => `${subjectText(each.subject)}: ${each.why}`) : [why];
  if (counterexample) reasons.push(takes(counterexample));
  if (isLarge) reasons.push("--verbose lists each of them, with its place.");
  const subjects = isLarge
    ? shortList(group.map(({ subject }) => subjectText(subject)))
    : subjectsText(group);
  const doubt = demoted === undefined ? "" : `, ${demoted}`;
  const levels = `client: ${level.client}, server: ${level.server}${doubt}`;
  return {
    code: "MG6308",
    severity: group.some(({ fails }) => fails) ? "error" : "warning",
    message: `${rule}${isLarge ? ` ×${group.length}` : ""}: ${subjects}${shape} (${levels})`,
    // An added part has no place in the contract yet; the part that contains it has one.
    place,
    next: unread ? `Correct the schema in ${faulty}.` : adviceFor(role, level, advice),
    detail: reasons.join("\n"),
  };
}

function takes({ valid, value }: NonNullable<ReportedFinding["counterexample"]>): string {
  const [taker, other] = valid.old ? ["contract", "server"] : ["server", "contract"];
  return `the ${taker} takes ${shortText(JSON.stringify(value), 300)}, the ${other} does not`;
}

/** The side of the contract that the project has; `both` if the configuration does not say. */
type Reader = NonNullable<ContractConfig["role"]>;

function roleOf(file: string, { loaded }: Project, { directory }: CommandContext): Reader {
  const path = resolve(directory, file);
  const named = loaded.config.contracts?.find((each) => resolve(loaded.folder, each.file) === path);
  return named?.role ?? "both";
}

/**
 * Advice for those who run the check. The advice of a rule is for the side that the change affects more, which
 * can be the other one: a client cannot change how its server reads an argument, and the server has changed already.
 */
function adviceFor(role: Reader, { client, server }: ReportedFinding["level"], advice: string): string {
  if (client === server) return advice;
  const affected = isWorse(client, server) ? "client" : "server";
  if (role === affected) return advice;
  if (role === "server") return `Let the server keep the contract, or tell its clients: ${advice}`;
  if (affected === "client") return `In clients: ${advice}`;
  return client === "safe"
    ? "Calls of the contract still work; capture the server to use the change."
    : "The server has changed already: check the calls that rely on it, then capture the server.";
}

/** @param others findings beside the differences */
function summary(others: readonly Finding[], report: Report): string {
  const { from: contract, to: live, isPartial } = report;
  const differences = report.findings.filter(({ approval }) => !approval);
  const approved = report.findings.length - differences.length;
  const findings = differences.length + others.filter(({ severity }) => severity !== "info").length;
  if (findings + approved === 0)
    return isPartial ? `${live} and ${contract}: ${noDifference(report)}` : `${live} is as ${contract} says`;
  const counts = [
    ...(approved > 0 ? [counted(approved, "approved difference")] : []),
    ...(findings > 0 ? [counted(findings, "finding")] : []),
  ];
  const levels = differences.length > 0 ? `: ${countsText(summaryOf(differences))}` : "";
  return `${live} differs from ${contract}: ${counts.join(", ")}${levels}`;
}

/** Findings about the authorization metadata of a protected server. */
interface MetadataReport {
  readonly findings: readonly Finding[];
  /** Data for `--json`; undefined for a server that requires no token. */
  readonly authorization?: Omit<ServerInspection, "faults">;
}

/** Code, severity and advice for each kind of fault. */
const reports: Readonly<Record<ServerFault["kind"], Pick<Finding, "code" | "severity" | "next">>> = {
  "challenge-missing": {
    code: "MG6314",
    severity: "warning",
    next: 'Answer 401 with WWW-Authenticate: Bearer resource_metadata="URL".',
  },
  "challenge-without-metadata": {
    code: "MG6314",
    severity: "warning",
    next: "Add resource_metadata with the URL of the metadata.",
  },
  "metadata-missing": { code: "MG6315", severity: "error", next: "Serve the metadata at this URL." },
  "metadata-elsewhere": { code: "MG6315", severity: "warning", next: "Serve it at both URLs." },
  "metadata-unusable": {
    code: "MG6315",
    severity: "error",
    next: "Answer with 200, application/json and a JSON object.",
  },
  "resource-mismatch": {
    code: "MG6316",
    severity: "error",
    next: "Set resource to the URL that clients use.",
  },
  "resource-broader": {
    code: "MG6316",
    severity: "warning",
    next: "Set resource to the URL of the server.",
  },
  "issuer-missing": { code: "MG6317", severity: "error", next: "List the issuer in authorization_servers." },
  "issuer-unusable": {
    code: "MG6318",
    severity: "error",
    next: "Correct the URL in authorization_servers, or the metadata of the issuer.",
  },
  "pkce-missing": {
    code: "MG6319",
    severity: "error",
    next: "Let the authorization server list S256, or give clients an exception for this issuer.",
  },
};

/**
 * Compares the metadata of a protected server with what clients need, and with the scopes of its contract.
 * Writes nothing, and sends no credentials. A server that cannot be reached gives no findings here, because
 * connecting reports the error.
 */
async function metadataOf(
  source: ServerSource,
  contract: ContractSource,
  options: ServerOptions,
): Promise<MetadataReport> {
  try {
    return (await report(source, scopesOf(contract.contract), options)) ?? { findings: [] };
  } catch (error) {
    if (error instanceof CodedError && error.code !== "MG2013") throw error;
    return { findings: [] };
  }
}

/**
 * Like `metadataOf`, without a contract.
 *
 * @returns undefined for a stdio server, and for a server that the user gives credentials for: clients need
 * no metadata then
 * @throws CodedError MG4102 for a server that cannot be reached, or does not answer now
 */
async function metadataAlone(
  source: ServerSource,
  options: ServerOptions,
): Promise<MetadataReport | undefined> {
  try {
    return await report(source, [], options);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const { message, cause: inner } = cause as Error;
    const why = networkMessage(
      oneLine(inner instanceof Error && inner.message !== "" ? inner.message : message, " "),
    );
    throw new CodedError("MG4102", `the server cannot be judged: ${why}`, {
      place: { file: shownSource(source) },
      next:
        networkAdvice(cause, shownSource(openUrl(source, options)!)) ?? "Check the address and the network.",
      cause,
    });
  }
}

/**
 * @param wanted scopes that the contract requires
 * @returns undefined for a stdio server, and for a server that the user gives credentials for
 */
async function report(
  source: ServerSource,
  wanted: readonly string[],
  options: ServerOptions,
): Promise<MetadataReport | undefined> {
  const url = openUrl(source, options);
  if (url === undefined || !options.authorization) return undefined;
  const shown = shownSource(source);
  const inspection = await options.authorization.inspect(url, options.timeout);
  if (!inspection) return { findings: wanted.length > 0 ? [unprotected(shown)] : [] };
  const { faults, ...authorization } = inspection;
  const findings = faults.map(({ kind, at, message }): Finding => {
    const place = { file: at === url ? shown : at.slice(0, 300) };
    return { ...reports[kind], message, place } as Finding;
  });
  return { findings: [...findings, ...missingScopes(wanted, authorization, shown)], authorization };
}

/** The URL of an HTTP server; undefined if the user's headers or URL already hold credentials. */
function openUrl(source: ServerSource, { headers }: ServerOptions): string | undefined {
  if (kindOfServer(source) !== "http") return undefined;
  const address = typeof source === "string" ? undefined : source.address;
  const named = address?.kind === "http" ? address : undefined;
  const url = named?.url ?? (source as string);
  const given = Object.keys({ ...named?.headers, ...headers });
  const isGiven = named?.moreHeaders !== undefined || given.some((name) => /^authorization$/i.test(name));
  if (!URL.canParse(url) || isGiven) return undefined;
  const { username, password } = new URL(url);
  return username === "" && password === "" ? url : undefined;
}

function unprotected(file: string): Finding {
  const message = "the contract has scopes, and the server answers requests without a token";
  const next = "Protect the endpoint: `resourceServer()` of @mcpgen/auth/server.";
  return { code: "MG6321", severity: "warning", message, place: { file }, next };
}

function missingScopes(
  wanted: readonly string[],
  { scopes }: Pick<ServerInspection, "scopes">,
  file: string,
): Finding[] {
  const missing = scopes ? wanted.filter((scope) => !scopes.includes(scope)) : [];
  if (missing.length === 0) return [];
  const message = `scopes_supported lacks ${missing.join(", ")}, which the contract requires`;
  const next = "List them if most users need them.";
  return [{ code: "MG6320", severity: "warning", message, place: { file }, next }];
}

/**
 * Compares each live server that the configuration names with its contract, one after the other. A server
 * that does not answer becomes a finding, and the comparison continues with the others.
 */
export async function checkConfiguredServers(
  served: readonly ServedContract[],
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const { folder } = project.loaded;
  // Commands start in the configuration's folder, and server names are resolved from it.
  const there = contextWith(context, { directory: folder });
  let outcome: Outcome = {};
  const reports: unknown[] = [];
  for (const contract of served) {
    const { server, file } = contract;
    const each = await compared(contract).catch((error: unknown) => notCompared(error, [], server));
    reports.push({ server, contract: file, ...each.data });
    outcome = together(outcome, each);
  }
  return { ...outcome, data: { servers: reports } };

  async function compared(contract: ServedContract): Promise<Outcome> {
    const { server, file } = contract;
    const named = subjectOf(contract, project);
    if (named && kindOfServer(server) === "stdio") await context.trust.expect(named);
    const source = await serverSource(server, args, there, named);
    const pairing = { source, file: resolve(folder, file), options: { ...serverOptions(args, there) } };
    return comparePair(pairing, args, project, context);
  }
}

/**
 * The place in the configuration that names a server. Its command needs trust, since the user did not type
 * it.
 */
function subjectOf(
  contract: ServedContract,
  { loaded: { file, folder, config } }: Project,
): Subject | undefined {
  if (file === undefined) return undefined;
  const place = pointer("", "contracts", config.contracts!.indexOf(contract), "server");
  return { file, folder, ...(isJsonConfig(file) && { pointer: place }) };
}
