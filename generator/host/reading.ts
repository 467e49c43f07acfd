import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { ContractTool } from "../contract/contract.js";
import { changeText, subjectText } from "../diff/finding.js";
import { anchor } from "../page/html.js";
import type { Entry, Fact, Reading, Section, Text } from "../page/reading.js";
import type { HostCall, HostFault, HostTest, HostTool } from "./host-test.js";
import { shortList } from "../print/terminal-text.js";
import type { HostProgram } from "./program.js";

/** One host with one server. */
export interface HostReport {
  readonly program: HostProgram;
  /** The server, as messages name it. */
  readonly source: string;
  /** The tools, as the server lists them. */
  readonly listed: readonly ContractTool[];
  readonly test: Omit<HostTest, "output" | "milliseconds"> & {
    readonly [key in "output" | "milliseconds"]?: HostTest[key] | undefined;
  };
}

type Content = Omit<Entry, "id">;

/** The content of a report on hosts. @param notes about the whole run, one line each */
export function hostReading(reports: readonly HostReport[], notes: readonly string[]): Reading {
  const lead = "What a model gets of a server in each host. The model plays a script.";
  const facts = reports.map((report) => fact(`${report.program.name}, ${report.source}`, summaryOf(report)));
  const several = new Set(reports.map(({ source }) => source)).size > 1;
  const sections = reports.flatMap((each) => sectionsOf(each, several ? `, ${each.source}` : ""));
  return { title: "Tools in hosts", lead, facts, sections, notes };
}

function fact(name: string, ...value: Text): Fact {
  return { name, value };
}

function summaryOf({ program, test }: HostReport): string {
  const { tools, others, tokens, milliseconds, outside, exitCode } = test;
  const offered = tools.filter((tool) => tool.offered).length;
  return [
    `${offered} of ${tools.length} tools and ${others} of the host`,
    `about ${tokens.listed} tokens as listed, ${tokens.offered} with all that the host sends`,
    ...(milliseconds === undefined ? [] : [`${(milliseconds / 1000).toFixed(1)} s`]),
    ...(exitCode === 0 ? [] : [`exit code ${exitCode ?? "none: it was ended"}`]),
    ...(outside.length === 0 ? [] : [`asked other machines, and did not get them: ${outside.join(", ")}`]),
    ...(program.proxy ? [] : ["not known to use proxies: it may ask other machines unseen"]),
  ].join("; ");
}

function sectionsOf({ program: { name }, source, listed, test }: HostReport, more: string): Section[] {
  const parts: readonly (readonly [string, readonly Content[]])[] = [
    ["tools", test.tools.map((tool, index) => toolEntry(tool, listed[index]))],
    ["calls", test.calls.map((call) => callEntry(call))],
    ["faults", test.faults.map((fault) => faultEntry(fault))],
  ];
  return parts.flatMap(([what, entries]) => {
    const id = anchor(what, `${name} ${source}`);
    const numbered = entries.map((entry, index) => ({ id: `${id}-${index}`, ...entry }));
    return entries.length === 0 ? [] : [{ id, title: `${name}${more}: ${what}`, entries: numbered }];
  });
}

/** @param listed absent for a tool that mcpgen does not read */
function toolEntry(
  { name, offered, isListed, changes, tokens, rules }: HostTool,
  listed: ContractTool | undefined,
): Content {
  const schemas = [listed?.inputSchema ?? {}, offered?.schema ?? {}].map((schema) =>
    JSON.stringify(schema, null, 2),
  );
  const sides = schemas.map((shape, index) => ({ title: index === 0 ? "Listed" : "Offered", shape }));
  return {
    name,
    badges: [offered ? { text: `as ${offered.name}` } : isListed ? dropped : unlisted],
    facts: [
      fact("tokens", `about ${tokens.listed} as listed, ${tokens.offered} as offered`),
      ...changes.map((each) =>
        fact(each.rule, `${subjectText(each.subject)} `, { code: changeText(each) || "–" }),
      ),
    ],
    remarks: rules.map(({ rule, message, fix, does }) => ({
      kind: "warning",
      text: `${rule} (${does}): ${message}. ${fix}`,
    })),
    parts: changes.length > 0 ? [{ title: "Both schemas", kind: "sides", sides }] : [],
  };
}

const dropped = { text: "not offered", kind: "error" } as const;
const unlisted = { text: "the server does not list it to this host" };

/** A call as reports name it. */
export function callText({ tool, arguments: given = {} }: Pick<HostCall, "tool" | "arguments">): string {
  return `${tool}(${JSON.stringify(given)})`;
}

function callEntry(call: HostCall): Content {
  const { result, isError, milliseconds, server } = call;
  const failed = result === undefined ? "no result" : isError ? "error" : undefined;
  const shown = (time?: number): string => (time === undefined ? "never" : `${Math.round(time)} ms`);
  const times = server && `first byte ${shown(server.firstByte)}, answer ${shown(server.answer)}`;
  const { quiet, limit, worked } = server ?? {};
  const most =
    limit === undefined ? worked && `is known to wait ${shown(worked)}` : `gives up after ${shown(limit)}`;
  return {
    name: callText(call),
    badges: failed === undefined ? [] : [{ text: failed, kind: "error" }],
    facts: [
      ...(result === undefined ? [] : [fact("result", { code: textOf(result) })]),
      ...(times === undefined ? [] : [fact("times", `${times}; to the model ${shown(milliseconds)}`)]),
      ...(most ? [fact("quiet", `${shown(quiet)}; the host ${most}`)] : []),
    ],
  };
}

function faultEntry({ fault, isMet, call, next, isListed, offered }: HostFault): Content {
  const after = (name: string, { outcome, result }: HostFault["call"]): Fact =>
    fact(name, outcome, ...(outcome === "error" ? [" ", { code: textOf(result!) }] : []));
  const needed = { session: "share no session", list: "share no stream, and the host does not list again" };
  const lacks = fault === "list" || fault === "session" ? `host and server ${needed[fault]}` : undefined;
  return {
    name: fault,
    badges: isMet ? [] : [{ text: `met nothing: ${lacks ?? "the host made no second call"}` }],
    facts: [
      ...[after("the call", call), after("the next call", next)],
      ...(offered === undefined
        ? []
        : [
            fact("the changed list", isListed ? "offered" : "not offered"),
            fact("the host offers", shortList(offered) || "no tool"),
          ]),
    ],
  };
}

/** The texts of a result, or else all of it as JSON. */
function textOf(result: JsonValue): string {
  const parts = Array.isArray(result) ? result : [result];
  const texts = parts.map((part) => (isJsonObject(part) ? part["text"] : part));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : JSON.stringify(result);
}
