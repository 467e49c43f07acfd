import { resolve } from "node:path";
import { shownSource } from "../capture/server-source.js";
import type { Contract } from "../contract/contract.js";
import { readToolSchemas } from "../contract/emit/tool-schemas.js";
import { lastLines } from "../capture/server-error.js";
import { type Finding, CodedError, findingOfError } from "../diagnostics/coded-error.js";
import { FileForm, placesIn, refuseFaults } from "../files/file-form.js";
import { loadJson } from "../files/json-file.js";
import { hostServer, installedFile, notInstalled } from "../host/create-host-test.js";
import { type HostTest, testHost } from "../host/host-test.js";
import type { ModelCall } from "../host/model/fake-model.js";
import { type HostName, hostNames } from "../lint/host-rows.js";
import { hostFailure, hostPrograms } from "../host/program.js";
import { type HostReport, callText, hostReading } from "../host/reading.js";
import { nameInHosts } from "../contract/project-name.js";
import { connectPart } from "../page/offer/connect.js";
import { readingHtml } from "../page/reading-html.js";
import { readingMarkdown } from "../page/reading-markdown.js";
import { readingText } from "../page/reading-text.js";
import { counted, printable, shortList, shownPath } from "../print/terminal-text.js";
import { exampleArguments } from "../sample/example-arguments.js";
import { secrets } from "../secrets/secrets.js";
import type { Arguments, CommandContext, RunCommand } from "./command.js";
import { canAsk } from "./console.js";
import { contractSource } from "./contract-source.js";
import { pageTemplates } from "./docs/page-file.js";
import { openProject } from "./project.js";
import { expectServer, milliseconds, serverOptions, startOf } from "./server-options.js";
import { serverSource } from "./servers/named-servers.js";

/** Runs hosts with a scripted model, and shows what the model gets of servers. */
export const hostTest: RunCommand = async (args, context) => {
  const { console, directory } = context;
  const project = await openProject(args, context, { optional: true, renders: true });
  const sources = [];
  for (const name of new Set(args.strings("source"))) sources.push(await serverSource(name, args, context));
  expectServer(args, sources, directory);
  const chosen = programsOf(args, context);
  const options = serverOptions(args, context);
  // Reports are published, and a server may echo any of them.
  for (const given of [options.headers, options.variables])
    for (const value of Object.values(given ?? {})) secrets.learn(value);
  const stderr = () => console.details();
  const run = { faults: args.flag("faults"), slow: milliseconds(args, "slow"), stderr };
  const servers = [];
  const notes: string[] = [];
  const findings: Finding[] = [];
  // Whatever is wrong with a source is said before a host runs.
  for (const each of sources) {
    const onStderr = stderr();
    const { contract, findings: faults } = await contractSource(each, { ...options, onStderr }, context, {
      needed: ["tools"],
    });
    onStderr.end();
    const [source, listed] = [shownSource(each), contract.tools ?? []];
    findings.push(...faults);
    const script = await scriptOf(args, contract, context);
    servers.push({ source, listed, script, server: await hostServer(each, options) });
    const left = listed.map(({ name }) => name).filter((name) => !script.some(({ tool }) => tool === name));
    const what = sources.length > 1 ? `not called of ${source}` : "not called";
    if (left.length > 0) notes.push(`${what}: ${shortList(left)}; --script FILE calls them`);
    const name = nameInHosts(contract.name);
    notes.push(`add it to your hosts: ${connectPart(name, await startOf(each, options)).text}`);
  }
  const reports: HostReport[] = [];
  for (const { source, ...server } of servers)
    for (const { program, file } of chosen) {
      console.progress(`running ${program.name} with ${source}`);
      const test = await testHost({ program, file, ...server, ...run }).catch((error: unknown) => {
        if (!(error instanceof CodedError && error.code === "MG6333")) throw error;
        findings.push(findingOfError(error));
      });
      if (!test) continue;
      const shown = args.flag("no-times") ? withoutTimes(test) : test;
      reports.push({ program, source, listed: server.listed, test: shown });
      // Whether a tool is quiet for too long depends on times that a report without times leaves out.
      findings.push(...findingsOf(reports.at(-1)!, test));
    }
  const failed = findings.some(({ severity }) => severity === "error");
  const format = args.string("format");
  if (format === "html" || format === "markdown") {
    const lines = findings.map(({ severity, message, next }) => `${severity}: ${message}. ${next}`);
    const reading = hostReading(reports, [...lines, ...notes]);
    const render = format === "html" ? readingHtml : readingMarkdown;
    return { text: render(secrets.hideIn(reading), pageTemplates(project)), failed };
  }
  return {
    findings,
    text: readingText(hostReading(reports, notes), console.paint),
    summary: `${counted(reports.length, "run")}, ${counted(findings.length, "finding")}`,
    data: {
      hosts: reports.map(({ program: { name: host }, source, test }) => ({ host, source, ...test })),
      notes,
    },
  };
};

/** A test without all that differs from run to run; the output of a host that failed is kept. */
function withoutTimes(test: HostTest): HostReport["test"] {
  const time = /(?<=(?<!\\)"Wall time: )[\d.]+(?= seconds\\nOutput:)/g;
  const still = <T>(value: object): T => JSON.parse(JSON.stringify(value).replace(time, "…")) as T;
  const calls = test.calls.map((call) => ({ ...call, milliseconds: undefined, server: undefined }));
  const timed = {
    output: asksModel(test) ? undefined : test.output,
    ...{ startup: undefined, milliseconds: undefined },
  };
  return { ...test, ...timed, calls: still(calls), faults: still(test.faults) };
}

/** Whether the host asked its model: each host offers its own tools, too. */
function asksModel({ others, tools }: HostReport["test"]): boolean {
  return others > 0 || tools.some(({ offered }) => offered);
}

/**
 * The hosts of `--host`; without it, all that are installed.
 *
 * @throws CodedError MG6331 for a host that is not installed, or if none is
 */
function programsOf(args: Arguments, { directory, env }: CommandContext) {
  const named = args.strings("host") as HostName[] | undefined;
  const installed = [...new Set(named ?? hostNames)].flatMap((name) => {
    const program = hostPrograms[name];
    // A project's programs run when they are named.
    const file = installedFile(program, named ? directory : undefined, env["PATH"]);
    if (file === undefined && named) throw notInstalled(program);
    return file === undefined ? [] : [{ program, file }];
  });
  if (installed.length === 0) throw notInstalled(hostPrograms.codex);
  return installed;
}

/** The calls of a file; or one call of each tool that only reads, and of those that the user chooses at the terminal. */
async function scriptOf(args: Arguments, contract: Contract, context: CommandContext): Promise<ModelCall[]> {
  const path = args.string("script");
  if (path !== undefined) return readScript(path, contract, context);
  const schemas = readToolSchemas(contract);
  const calls = (contract.tools ?? []).flatMap(({ name: tool, inputSchema, annotations }, index) => {
    const found = exampleArguments(inputSchema, schemas[index]!.input);
    return found ? [{ tool, arguments: found, reads: annotations?.["readOnlyHint"] === true }] : [];
  });
  const others = calls.filter(({ reads }) => !reads);
  const { terminal } = context;
  let chosen: unknown = [];
  if (others.length > 0 && terminal && canAsk(context)) {
    const { multiselect } = await import("@clack/prompts");
    const options = others.map((call) => ({ value: call.tool, label: printable(callText(call)) }));
    const message = "These tools may change something. Which are called in each host, too?";
    chosen = await multiselect({ ...terminal, message, options, required: false });
  }
  const allowed = new Set(Array.isArray(chosen) ? chosen : []);
  return calls.flatMap(({ reads, ...call }) => (reads || allowed.has(call.tool) ? [call] : []));
}

/** @throws CodedError MG6332 for a file that has no list of calls, or calls a tool that the server does not list */
async function readScript(path: string, contract: Contract, { directory }: CommandContext) {
  const file = shownPath(path, directory);
  const { value, text } = await loadJson(resolve(directory, path));
  const names = (contract.tools ?? []).map(({ name }) => name);
  const properties = { tool: { enum: names }, arguments: { type: "object" } };
  const items = { type: "object", properties, required: ["tool"], additionalProperties: false };
  const form = new FileForm({ type: "array", items }, { unknownKey: "MG6332", wrongValue: "MG6332" });
  await refuseFaults(form.faults(value), placesIn({ file, text }));
  return value as unknown as ModelCall[];
}

const sessions = "Serve without sessions (`sessions: false`), or with `sealedSessions`.";
const progress = "Send progress while the tool works, or answer sooner.";
const nothing = "Nothing in the server helps: report it to the makers of the host.";

/** @param timed the test with its times */
function findingsOf({ program, source, test }: HostReport, { calls, startup = 0 }: HostTest): Finding[] {
  const printed = { detail: lastLines(test.output ?? "see what the host printed without --no-times") };
  if (!asksModel(test)) {
    const what = `asked no model with ${source}: exit code ${test.exitCode ?? "none"}`;
    return [findingOfError(hostFailure(program, what, printed))];
  }
  const where = `${program.name} with ${source}: `;
  const finding = (severity: "error" | "warning", what: string, next: string): Finding => ({
    ...(severity === "error" ? { code: "MG6333", severity } : { code: "MG6334", severity }),
    ...{ message: where + what, next },
  });
  const dropped = test.tools.flatMap(({ name, offered, isListed, rules }) => {
    if (offered || !isListed) return [];
    const reasons = rules.filter(({ does }) => does.startsWith("drops"));
    const why = reasons.map(({ rule, message }) => `: ${rule} (${message})`).join("");
    const next = reasons[0]?.fix ?? "Look at the name and at the schema: `mcpgen lint SOURCE`.";
    return [finding("error", `the model does not get the tool ${JSON.stringify(name)}${why}`, next)];
  });
  const lost = test.calls.flatMap(({ tool, result }) => {
    const what = `the model got no result of the call of ${JSON.stringify(tool)}`;
    const isOffered = test.tools.some(({ name, offered }) => name === tool && offered);
    const next = "Read what the host printed.";
    return isOffered && result === undefined ? [{ ...finding("error", what, next), ...printed }] : [];
  });
  const changed = calls.flatMap(({ tool, isError, server }) => {
    const what = `the model gets an error for the result of the call of ${JSON.stringify(tool)}`;
    const next = "Read the error in the report, and answer in a form that the host takes.";
    return isError && server?.isError === false ? [finding("error", what, next)] : [];
  });
  const quiet = calls.flatMap(({ tool, server: { quiet: time = 0, limit = Infinity } = {} }) => {
    const what = `${JSON.stringify(tool)} is quiet for longer than ${limit} ms`;
    return time > limit ? [finding("warning", what, progress)] : [];
  });
  const { limit: mostStartup = Infinity } = program.startup ?? {};
  const what = `the server starts in more than ${mostStartup} ms, and the host goes on without it unless its configuration says otherwise`;
  const slow =
    startup > mostStartup ? [finding("warning", what, "Start sooner: install it, and load less first.")] : [];
  const faults = test.faults.flatMap(({ fault, isMet, isBack, isListed = true }) => {
    const isLost = test.transport === "http" && (fault === "restart" || fault === "session");
    const help = fault === "slow" ? progress : isLost ? sessions : nothing;
    const what = isBack ? "the model does not get a changed list" : `no answer after the fault "${fault}"`;
    return isMet && !(isBack && isListed) ? [finding("warning", what, help)] : [];
  });
  return [...dropped, ...lost, ...changed, ...slow, ...quiet, ...faults];
}
