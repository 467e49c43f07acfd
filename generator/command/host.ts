import { resolve } from "node:path";
import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import { shownSource } from "../capture/server-source.js";
import type { Contract } from "../contract/contract.js";
import { readToolSchemas } from "../contract/emit/tool-schemas.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { readRegularText } from "../files/regular-file.js";
import { type HostCall, type HostTest, type HostTool, testHost } from "../host/host-test.js";
import type { ModelCall } from "../host/model/fake-model.js";
import { type HostName, type HostProgram, hostNames, hostPrograms } from "../host/program.js";
import { hostServer, installedFile, notInstalled } from "../host/create-host-test.js";
import { counted, printable, shortText, shownPath } from "../print/terminal-text.js";
import { exampleArguments } from "../sample/example-arguments.js";
import type { Arguments, CommandContext, RunCommand } from "./command.js";
import { contractSource } from "./contract-source.js";
import { connectPart } from "../page/offer/connect.js";
import { nameInHosts } from "../contract/project-name.js";
import { expectServer, serverOptions, startOf } from "./server-options.js";
import { serverSource } from "./servers/named-servers.js";

/** Runs hosts with a scripted model, and shows what the model gets of a server. */
export const hostTest: RunCommand = async (args, context) => {
  const source = await serverSource(args.required("source"), args, context);
  expectServer(args, [source], context.directory);
  const chosen = programsOf(args, context);
  const options = serverOptions(args, context);
  const { contract } = await contractSource(source, options, context, { needed: ["tools"] });
  const script = scriptOf(args.string("script"), contract, context);
  const server = await hostServer(source, options);
  const reports: Report[] = [];
  for (const { program, file } of chosen) {
    context.console.progress(`running ${program.name} with ${shownSource(source)}`);
    const test = await testHost({ program, file, server, listed: contract.tools ?? [], script });
    reports.push({ program, test });
  }
  const findings = reports.flatMap((report) => findingsOf(report));
  const names = reports.map(({ program }) => program.name).join(", ");
  const add = connectPart(nameInHosts(contract.name), await startOf(source, options)).text;
  return {
    findings,
    text: [...reports.map((report) => hostText(report, context)), `add it to your hosts: ${add}`].join(
      "\n\n",
    ),
    summary: `${shownSource(source)} in ${names}: ${counted(script.length, "call")}, ${counted(findings.length, "finding")}`,
    data: { hosts: reports.map(({ program, test }) => ({ host: program.name, ...test })) },
  };
};

interface Report {
  readonly program: HostProgram;
  readonly test: HostTest;
}

/**
 * The hosts of `--host`; without it, all that are installed.
 *
 * @throws CodedError MG6331 for a host that is not installed, or if none is
 */
function programsOf(
  args: Arguments,
  { directory, env }: CommandContext,
): { program: HostProgram; file: string }[] {
  const named = args.strings("host") as HostName[] | undefined;
  const installed = (named ?? hostNames).flatMap((name) => {
    const program = hostPrograms[name];
    const file = installedFile(program, directory, env["PATH"]);
    if (file === undefined && named) throw notInstalled(program);
    return file === undefined ? [] : [{ program, file }];
  });
  if (installed.length === 0) throw notInstalled(hostPrograms.codex);
  return installed;
}

/**
 * The calls of a file, or one call of each tool that only reads.
 *
 * @throws CodedError MG6332 for a file that has no list of calls, or calls a tool that the server does not list
 */
function scriptOf(path: string | undefined, contract: Contract, { directory }: CommandContext): ModelCall[] {
  if (path === undefined) {
    const schemas = readToolSchemas(contract);
    return (contract.tools ?? []).flatMap((tool, index) => {
      if (tool.annotations?.["readOnlyHint"] !== true) return [];
      const found = exampleArguments(tool.inputSchema, schemas[index]!.input);
      return found ? [{ tool: tool.name, arguments: found }] : [];
    });
  }
  const place = { file: shownPath(path, directory) };
  const wrong = (what: string): CodedError =>
    new CodedError("MG6332", what, {
      place,
      next: 'Write a JSON array of calls: [{ "tool": "NAME", "arguments": {} }]',
    });
  let calls: unknown;
  try {
    calls = JSON.parse(readRegularText(resolve(directory, path)));
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw wrong(`expected JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(calls)) throw wrong("expected an array of calls");
  return calls.map((call: unknown, index) => {
    if (!isJsonObject(call) || typeof call["tool"] !== "string")
      throw wrong(`call ${index + 1}: expected "tool"`);
    const { tool, arguments: given = {} } = call;
    if (!isJsonObject(given)) throw wrong(`call ${index + 1}: expected "arguments" to be an object`);
    if (!contract.tools?.some(({ name }) => name === tool))
      throw wrong(`call ${index + 1}: the server lists no tool ${JSON.stringify(tool)}`);
    return { tool, arguments: given };
  });
}

function findingsOf({ program, test }: Report): Finding[] {
  const dropped = test.tools.filter(({ offered }) => !offered);
  const lost = test.calls.filter(({ result }) => result === undefined);
  const finding = (message: string, next: string): Finding => ({
    code: "MG6333",
    severity: "error",
    message: `${program.name}: ${message}`,
    next,
  });
  return [
    ...dropped.map(({ name }) =>
      finding(
        `the model does not get the tool ${JSON.stringify(name)}`,
        "Look at the name and at the schema: `mcpgen lint SOURCE`.",
      ),
    ),
    ...lost.map(({ tool }) =>
      finding(
        `the model got no result of the call of ${JSON.stringify(tool)}`,
        `Read what the host printed: ${lastLine(test.output) || "nothing"}`,
      ),
    ),
  ];
}

function lastLine(output: string): string {
  return shortText(printable(output.trim().split("\n").at(-1)!), 200);
}

function hostText({ program, test }: Report, { console }: CommandContext): string {
  const { paint } = console;
  const seconds = (test.milliseconds / 1000).toFixed(1);
  const outside = [...test.outside];
  return [
    paint("bold", program.name) + paint("dim", ` ${seconds} s, ${test.others} tools of the host`),
    ...(outside.length > 0 ? [`  asked for, and did not get: ${outside.join(", ")}`] : []),
    ...test.tools.flatMap((tool) => toolLines(tool)),
    ...test.calls.flatMap((call) => callLines(call)),
  ].join("\n");
}

function toolLines({ name, offered, changes }: HostTool): string[] {
  if (!offered) return [`  ${name}: not offered`];
  const rules = [...new Set(changes.map(({ rule }) => rule))];
  const detail = (rule: string): string =>
    changes
      .filter((change) => change.rule === rule)
      .map(({ old, new: next }) => `${old ?? "–"} → ${next ?? "–"}`)
      .join("; ");
  return [
    `  ${name} as ${offered.name}${changes.length === 0 ? ", unchanged" : ""}`,
    ...rules.map((rule) => `    ${rule}: ${shortText(detail(rule), 160)}`),
  ];
}

function callLines({ tool, arguments: given, result, isError, milliseconds }: HostCall): string[] {
  const call = `  ${tool}(${shortText(JSON.stringify(given ?? {}), 100)})`;
  if (result === undefined) return [`${call}: no result`];
  const mark = isError === true ? " (error)" : "";
  return [
    `${call}${mark} ${Math.round(milliseconds ?? 0)} ms`,
    `    ${shortText(printable(shown(result)), 300)}`,
  ];
}

function shown(result: JsonValue): string {
  return typeof result === "string" ? result.replaceAll("\n", "⏎") : JSON.stringify(result);
}
