import { isJsonObject, kindOf } from "@mcpgen/engine";
import { packageNameIn } from "../config/config.js";
import { openProject } from "./project.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { jsonIn } from "../files/json-file.js";
import { openSource, sourceName } from "../files/source.js";
import { expectExtension, storedExtensions } from "../extension/extension-store.js";
import { readLock, protocolPackage, expectRevision } from "../revision/lock.js";
import { counted, firstLines, shownPath, shortText, printable } from "../print/terminal-text.js";
import type { CommandContext, RunCommand, Outcome } from "./command.js";
import { type Verdict, Judge, quoted } from "./validate/judge.js";
import {
  type Issue,
  type ProtocolPlace,
  type Side,
  withExtension,
  builtFolders,
  loadProtocol,
  loadProtocolExtension,
} from "./validate/protocol.js";

export const validate: RunCommand = async (args, context) => {
  const project = await openProject(args, context, { optional: true });
  const revision = args.required("revision");
  const source = args.required("source");
  const place: ProtocolPlace = {
    directory: context.directory,
    packageName: packageNameIn(project.loaded.config),
    built: builtFolders(project.loaded.folder, project.outDir),
    admits: async (modules, needed) => {
      const subject = { file: modules[0]!, folder: project.loaded.folder, modules };
      if (!needed) return context.trust.admits(subject);
      await context.trust.expect(subject);
      return true;
    },
  };
  let protocol = await loadProtocol(revision, place);
  if (!protocol) throw notBuilt(revision, project.schemaDir, place, context);
  for (const id of new Set(args.strings("extension"))) {
    const extension = await loadProtocolExtension(id, revision, place);
    if (!extension) throw extensionNotBuilt(id, revision, project.schemaDir, placesOf(place, context));
    protocol = withExtension(protocol, id, extension);
  }
  const transcript = new Transcript(source, new Judge(protocol));
  let number = 0;
  for await (const line of lines(openSource(source, context))) transcript.add(++number, line);
  return transcript.outcome(revision);
};

function notBuilt(
  revision: string,
  schemaDir: string,
  place: ProtocolPlace,
  context: CommandContext,
): CodedError {
  const lock = readLock(schemaDir);
  if (lock.size > 0) expectRevision(lock, revision);
  const places = placesOf(place, context);
  return new CodedError("MG2011", `revision ${revision} is neither in ${places}`, {
    next: "Generate it with `mcpgen generate`, then build the package (here: `npm run build`).",
  });
}

function extensionNotBuilt(id: string, revision: string, schemaDir: string, places: string): CodedError {
  if (storedExtensions(schemaDir).length > 0) expectExtension(schemaDir, id);
  return new CodedError("MG2011", `the extension ${id} over ${revision} is neither in ${places}`, {
    next: `Check that ${revision} is one of its bases, generate it with \`mcpgen generate\`, then build the package.`,
  });
}

/** The folders that were searched for built code. */
function placesOf({ packageName, built }: ProtocolPlace, { directory }: CommandContext): string {
  return [packageName ?? protocolPackage, ...built.map((folder) => shownPath(folder, directory))].join(
    " nor in ",
  );
}

class Transcript {
  private readonly file: string;
  private readonly judge: Judge;
  private readonly findings: Finding[] = [];
  private readonly counts = { messages: 0, invalid: 0, unpaired: 0, unreadable: 0 };

  constructor(source: string, judge: Judge) {
    this.file = sourceName(source);
    this.judge = judge;
  }

  add(line: number, text: string): void {
    if (text.trim() === "") return;
    const read = readLine(line === 1 ? text.replace(/^\uFEFF/, "") : text);
    if ("problem" in read) {
      this.counts.messages++;
      this.counts.invalid++;
      if (read.unreadable) this.counts.unreadable++;
      this.find(line, read.problem);
      return;
    }
    for (const verdict of this.judge.judge(read.message, read.from)) this.count(line, verdict);
  }

  private count(line: number, verdict: Verdict): void {
    this.counts.messages++;
    if (verdict.unpaired) this.counts.unpaired++;
    if (verdict.issues.length === 0) return;
    this.counts.invalid++;
    const what = [
      verdict.method && quoted(verdict.method),
      verdict.kind === "unknown" ? "message" : verdict.kind,
    ]
      .filter(Boolean)
      .join(" ");
    this.find(line, `invalid ${what}`, verdict.issues);
  }

  private find(line: number, message: string, issues: readonly Issue[] = []): void {
    const [first] = issues;
    const place = { file: this.file, line, ...(first && { pointer: first.pointer }) };
    const detail = detailOf(issues);
    this.findings.push({ code: "MG3109", severity: "error", message, place, ...(detail && { detail }) });
  }

  outcome(revision: string): Outcome {
    const { messages, invalid, unpaired, unreadable } = this.counts;
    if (messages === unreadable) {
      throw new CodedError(
        "MG1002",
        messages === 0 ? "expected messages, got none" : "expected JSON on each line, got none",
        {
          place: { file: this.file },
          next: "Name a file with one JSON-RPC message to a line.",
        },
      );
    }
    const answers =
      unpaired === 0
        ? ""
        : `, ${counted(unpaired, "answer")} without a single open request (envelope judged only)`;
    return {
      findings: this.findings,
      summary: `${revision}: ${counted(messages, "message")}, ${messages - invalid} valid, ${invalid} invalid${answers}`,
      data: { revision, messages, valid: messages - invalid, invalid, unpaired },
    };
  }
}

/** At most three issues, because later ones mostly follow from the first. */
function detailOf(issues: readonly Issue[]): string | undefined {
  if (issues.length === 0) return undefined;
  // One line for each issue, even if it quotes a text with several lines.
  const lines = issues.map(({ message }) => printable(message));
  return firstLines(lines, 3).join("\n");
}

type ReadLine =
  | { readonly message: unknown; readonly from?: Side }
  | { readonly problem: string; readonly unreadable: boolean };

function readLine(text: string): ReadLine {
  const value = jsonIn(text);
  if (value === undefined)
    return { problem: `not JSON: ${JSON.stringify(shortText(text, 60))}`, unreadable: true };
  if (typeof value !== "object" || value === null)
    return { problem: `expected a message, got ${kindOf(value)}`, unreadable: true };
  if (!isJsonObject(value) || !("message" in value) || "jsonrpc" in value) return { message: value };
  const { from, message } = value;
  if (from === "client" || from === "server") return { message, from };
  const got = JSON.stringify(from) ?? "nothing";
  return { problem: `expected from to be "client" or "server", got ${got}`, unreadable: false };
}

/**
 * Splits a UTF-8 stream into lines. Only a line feed ends a line, because JSON text may contain the other
 * characters that Unicode treats as line ends.
 */
export async function* lines(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const chunk of source) {
    const parts = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
    if (parts.length === 1) {
      rest.push(parts[0]!);
      continue;
    }
    yield [...rest, parts[0]!].join("");
    yield* parts.slice(1, -1);
    rest = [parts.at(-1)!];
  }
  const last = rest.join("") + decoder.decode();
  if (last !== "") yield last;
}
