import { existsSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { isJsonObject } from "@mcpgen/engine";
import { type CaptureSettings, type Captured, capture } from "../capture/capture.js";
import { type ServerSource, isServerSource, meantAdvice, shownSource } from "../capture/server-source.js";
import { SentTools } from "../capture/sent-tools.js";
import { tapOf } from "../capture/tap.js";
import { type ServerOptions, withServer } from "../capture/with-server.js";
import type { Contract, ContractDocument } from "../contract/contract.js";
import { contractFault } from "../contract/fault.js";
import type { Gone } from "../contract/incomplete-lists.js";
import { type Place, type Finding, CodedError } from "../diagnostics/coded-error.js";
import type { FilePlace } from "../diff/report/report.js";
import { jsonIn } from "../files/json-file.js";
import { kindOfSource, sourceName, sourceText } from "../files/source.js";
import {
  type InvalidFinding,
  incompleteFindings,
  leftOutFindings,
  unreadFinding,
} from "./capture/left-out.js";
import type { CommandContext } from "./command.js";
import { shownPath } from "../print/terminal-text.js";
import { readRegularText } from "../files/regular-file.js";
import { loadContract, readContract } from "../contract/read-contract.js";

/** A contract that a SOURCE names: from a file, or from what a live server offers. */
export interface ContractSource {
  /** The name of the source in messages. */
  readonly name: string;
  readonly contract: Contract;
  /** The place of the value at a JSON Pointer, for messages. A live server gives no line. */
  readonly place: (pointer: string) => Place;
  /** The line of the value at a JSON Pointer; null for a live server. */
  readonly placeOf: (pointer: string) => FilePlace | null;
  /** The negotiated revision; absent for a contract from a file. */
  readonly revision?: string;
  /** Whether the contract comes from a live server. It then has no scopes, since no list contains them. */
  readonly isLive: boolean;
  /** Findings about lists of the server that failed, and about invalid entries. */
  readonly findings: readonly Finding[];
  /** Those findings about invalid entries that have a name. */
  readonly invalid: readonly InvalidFinding[];
  /** Entries of the other contract that the server, although its lists are incomplete, denies having. */
  readonly gone?: Gone;
}

/** How a live server is read. */
interface LiveSettings extends CaptureSettings {
  /** Whether schemas of tools stay as the server sent them, with members that are null. */
  readonly asSent?: boolean;
}

/**
 * The kind of a SOURCE, judged by its form. A URL without a known file extension can be a contract or a
 * server.
 */
type SourceKind = "contract" | "server" | "url" | "standard input" | "other";

/** Distinguishes contracts and servers from revisions and schemas: by name and, for JSON files, by keys. */
export function contractKind(source: ServerSource, { directory }: CommandContext): SourceKind {
  if (typeof source !== "string") return "server";
  if (source === "-") return "standard input";
  if (/^https?:/i.test(source)) {
    const extension = URL.canParse(source) ? extname(new URL(source).pathname) : "";
    return isYaml(extension) ? "contract" : extension === ".json" ? "other" : "url";
  }
  if (isServerSource(source)) return "server";
  const file = resolve(directory, source);
  if (isYaml(extname(source))) return "contract";
  if (extname(source) !== ".json" || !existsSync(file) || !statSync(file).isFile()) return "other";
  return isContractJson(readRegularText(file)) ? "contract" : "other";
}

function isYaml(extension: string): boolean {
  return extension === ".yaml" || extension === ".yml";
}

/**
 * Whether a JSON text is a contract: it has lists or at least a name, and no definitions. Text that is not
 * JSON is not classified as a contract.
 */
function isContractJson(text: string): boolean {
  const value = jsonIn(text);
  if (!isJsonObject(value) || "$defs" in value || "definitions" in value) return false;
  const lists = ["tools", "prompts", "resources", "resourceTemplates"];
  return lists.some((list) => Array.isArray(value[list])) || contractFault(value) === undefined;
}

/**
 * Reads the contract that `source` stands for.
 *
 * @param settings for a live server; a warning names lists that are not needed, and fail
 * @throws CodedError MG1008 for URLs of another scheme, MG10xx and MG60xx for files, MG41xx for servers
 */
export async function contractSource(
  source: ServerSource,
  options: ServerOptions,
  context: CommandContext,
  settings: LiveSettings = {},
): Promise<ContractSource> {
  const kind = contractKind(source, context);
  if (typeof source !== "string" || kind === "server" || kind === "url")
    return liveContract(source, options, context, settings);
  return writtenSource(await documentOf(source, context));
}

/** A contract read from a file, as a source. */
export function writtenSource({ file, contract, place }: ContractDocument): ContractSource {
  const placeOf = (pointer: string): FilePlace => ({ file, line: place(pointer).line ?? 1 });
  return { name: file, contract, place, placeOf, isLive: false, findings: [], invalid: [] };
}

async function documentOf(source: string, context: CommandContext): Promise<ContractDocument> {
  if (kindOfSource(source) === "file") {
    const file = resolve(context.directory, source);
    const meant = meantAdvice(source, context.directory);
    if (!existsSync(file)) throw noSource(shownPath(file, context.directory), meant);
    if (meant !== undefined) throw program(shownPath(file, context.directory), meant);
    return loadContract(file, shownPath(file, context.directory));
  }
  return readContract(await sourceText(source, context), sourceName(source));
}

/** The error for a SOURCE that is neither a server nor a file. */
function noSource(file: string, meant: string | undefined): CodedError {
  return new CodedError("MG1001", "there is no such file", {
    place: { file },
    next:
      meant ?? "Check the path. A server is http(s)://…, stdio:COMMAND … or a name that `mcpgen list` shows.",
  });
}

/** The error for a program named as a contract. */
function program(file: string, next: string): CodedError {
  return new CodedError("MG2014", "expected a contract or a server, got a program", {
    place: { file },
    next,
  });
}

async function liveContract(
  source: ServerSource,
  options: ServerOptions,
  { console }: CommandContext,
  { asSent = false, ...settings }: LiveSettings,
): Promise<ContractSource> {
  console.progress(`asking ${shownSource(source)}`);
  const { timeout } = options;
  const sent = new SentTools();
  const tap = asSent ? tapOf({ message: (_, text) => sent.heard(text) }) : options.tap;
  const captured = await withServer(source, { ...options, tap }, (client) =>
    capture(client, timeout === undefined ? {} : { timeout }, settings),
  );
  const live = capturedSource({ ...captured, contract: sent.in(captured.contract) }, source);
  const unread = captured.unread.map((list) => unreadFinding(list, source));
  return { ...live, findings: [...unread, ...live.findings, ...incompleteFindings(captured, source)] };
}

/** A contract captured from a live server, as a source. */
export function capturedSource(
  { contract, leftOut, gone, revision }: Captured,
  source: ServerSource,
): ContractSource {
  const name = shownSource(source);
  const place = (pointer: string): Place => ({ file: name, pointer });
  const { findings, invalid } = leftOutFindings(leftOut, source);
  const facts = { name, contract, revision, place, placeOf: () => null, isLive: true };
  return { ...facts, findings, invalid, gone };
}
