import { resolve } from "node:path";
import { isJsonObject, pointerTokens } from "@mcpgen/engine";
import { LiveTasks, taskExtensions } from "../../capture/live-tasks.js";
import { type Runtime, loadSessionFormat } from "../../capture/runtime.js";
import { packageNameIn } from "../../config/config.js";
import {
  type Reply,
  type Route,
  type Routes,
  EventStream,
  PageServer,
  BadRequest,
  jsonReply,
} from "../../dev/page/page-server.js";
import { type Drift, judgedOffer } from "../../dev/page/offer.js";
import type { HostLimits } from "../../dev/host-limits.js";
import { PageSession } from "../../dev/page/page-session.js";
import type { JudgeMessage } from "../../dev/page/wire-log.js";
import { secrets } from "../../secrets/secrets.js";
import type { CommandContext } from "../command.js";
import { pageTemplates, openSecretly } from "../docs/page-file.js";
import type { Project, ProjectRun } from "../project.js";
import { serverOptions } from "../server-options.js";
import { Judge } from "../validate/judge.js";
import {
  type Protocol,
  type ProtocolPlace,
  withExtension,
  builtFolders,
  loadProtocol,
  loadProtocolExtension,
} from "../validate/protocol.js";
import type { Change } from "./change-report.js";
import type { DevelopedServer } from "./server-command.js";
import type { Session } from "./session.js";
import { callRequest } from "../../dev/page/calls.js";
import { questionAnswer } from "../../dev/page/questions.js";
import type { Captured } from "../../capture/capture.js";
import { type Contract, type ContractList, identities } from "../../contract/contract.js";
import { counterpart } from "../../diff/contract/lists.js";
import { changeText, subjectText } from "../../diff/finding.js";
import type { ReportedFinding } from "../../diff/report/report.js";
import { capturedSource, contractSource } from "../contract-source.js";
import { compareContracts } from "../diff/contracts.js";
import { evaluationBy, loadApprovals, policyOf } from "../diff/policies.js";
import type { Render } from "../../print/templates.js";
import { type PageDocument, servedDocument } from "../../page/document.js";
import { Html, visible } from "../../page/html.js";
import { markdownHtml } from "../../page/markdown.js";

/** Tasks started from the page are not kept: they are cancelled when it closes. */
const keepsNothing = {
  handles: { put: () => {}, delete: () => {} },
  onAbort: "cancel",
  onTask: () => {},
} as const;

/**
 * The page of the development loop: an HTTP server on this machine, and the MCP session that the page uses.
 */
export class DevPage implements Session {
  readonly #events: EventStream;
  readonly #session: PageSession;
  readonly #server: PageServer;
  readonly #removeOpened: (() => void) | undefined;

  private constructor(
    events: EventStream,
    session: PageSession,
    server: PageServer,
    removeOpened: (() => void) | undefined,
  ) {
    this.#removeOpened = removeOpened;
    this.#events = events;
    this.#session = session;
    this.#server = server;
  }

  /** Starts the HTTP server, and opens the page under `--open`. */
  static async open(
    runtime: Runtime,
    developed: DevelopedServer,
    limits: HostLimits,
    run: () => ProjectRun,
  ): Promise<DevPage> {
    const { args, context, project } = run();
    const events = new EventStream();
    const protocols = await protocolsOf(runtime, project, context);
    const tasks = await LiveTasks.load(keepsNothing);
    const session = new PageSession({
      ...{ runtime, tasks, limits, source: developed.source },
      server: { ...serverOptions(args, context), directory: developed.directory },
      send: (event) => events.send(event),
      judgeOf: (revision) => judgeOf(protocols.get(revision)),
      requestsOf: (revision) => {
        const requests = protocols.get(revision)?.sends.client.requests;
        return requests && [...requests.keys()];
      },
      judged: async (offer, captured, sent) =>
        judgedOffer(offer, captured, sent, await driftOf(captured, run())),
    });
    const { text, policy } = devPage(pageTemplates(run().project));
    const page: Reply = {
      ...{ type: "text/html; charset=utf-8", body: text },
      headers: { "content-security-policy": `${policy}; frame-ancestors 'none'` },
    };
    const server = await PageServer.open(routesOf(page, events, session));
    context.console.note(`page: ${server.url}`);
    // From here on the address counts as a secret: only the line just printed shows it.
    secrets.learn(server.secret);
    const secretPage = args.flag("open") ? await openSecretly(server.url) : undefined;
    if (secretPage?.opened === false)
      context.console.note("there is no program that opens the page: open its address in a browser");
    return new DevPage(events, session, server, secretPage?.remove);
  }

  get isRunning(): boolean {
    return this.#session.isRunning;
  }

  restart(): Promise<void> {
    return this.#session.restart();
  }

  async close(): Promise<void> {
    this.#removeOpened?.();
    this.#events.close();
    await Promise.all([this.#server.close(), this.#session.close()]);
  }

  /** Sends the result of a cycle to the page. */
  report({ subject, done, findings, milliseconds }: Change): void {
    this.#events.send({
      ...{ type: "cycle", subject, done },
      findings: findings.map(({ severity, code, message, place }) => ({
        ...{ severity: severity === "error" ? "error" : "warning", code, message },
        ...(place?.file !== undefined && {
          place: [place.file, place.line, place.column].filter((part) => part !== undefined).join(":"),
        }),
      })),
      ...(milliseconds !== undefined && { milliseconds }),
    });
  }
}

/** The revisions that messages are validated with, found as `validate` finds them. */
async function protocolsOf(
  { revisions }: Runtime,
  { loaded, outDir }: Project,
  { directory }: CommandContext,
): Promise<ReadonlyMap<string, Protocol>> {
  const place: ProtocolPlace = {
    directory,
    packageName: packageNameIn(loaded.config),
    built: builtFolders(loaded.folder, outDir),
    // `dev` runs the project's code anyway.
    admits: async () => true,
  };
  const found = await Promise.all(revisions.map(async ({ id }) => [id, await withTasks(id, place)] as const));
  return new Map(found.flatMap(([id, protocol]) => (protocol ? [[id, protocol] as const] : [])));
}

/**
 * A revision with the task extensions that the page's client declares; undefined if the revision is not
 * found.
 */
async function withTasks(revision: string, place: ProtocolPlace): Promise<Protocol | undefined> {
  let protocol = await loadProtocol(revision, place);
  if (!protocol) return undefined;
  for (const id of taskExtensions) {
    const extension = await loadProtocolExtension(id, revision, place);
    if (extension) protocol = withExtension(protocol, id, extension);
  }
  return protocol;
}

function judgeOf(protocol: Protocol | undefined): JudgeMessage | undefined {
  if (!protocol) return undefined;
  const judge = new Judge(protocol);
  return (message, from) => judge.judge(message, from);
}

/** The HTTP routes of the page. */
function routesOf(page: Reply, events: EventStream, session: PageSession): Routes {
  return new Map<string, Route>([
    ["", () => page],
    ["events", (_, response) => void events.open(response)],
    ["offer", () => jsonReply(session.offer)],
    ["recording", () => recordingReply(session)],
    ["message/", (_body, _response, rest) => messageReply(session, Number(rest))],
    ["POST call", (body) => jsonReply(session.call(callRequest(body)))],
    ["POST cancel", (body) => done(session.calls.cancel(memberOf(body, "call", "number")))],
    ["POST answer", (body) => done(session.questions.answer(questionAnswer(body)))],
    ["POST check", (body) => checkReply(session, body)],
    ["POST markup", markupReply],
    ["POST revision", (body) => done(session.useRevision(revisionOf(body)))],
    ["POST level", (body) => done(session.setLogLevel(memberOf(body, "level", "string")))],
  ]);
}

/** Runs work and answers with an empty reply. */
async function done(work: void | Promise<void>): Promise<Reply> {
  await work;
  return jsonReply({});
}

/** The last connection as a recording that `mcpgen validate` and the test kit read. */
async function recordingReply({ wire }: PageSession): Promise<Reply> {
  const { recording } = wire;
  if (!recording)
    throw new BadRequest("the session is too large to be saved; mcpgen dev --stdio --record FILE saves it");
  const format = await loadSessionFormat();
  return {
    ...{ type: "application/x-ndjson; charset=utf-8", body: format(recording) },
    headers: { "content-disposition": 'attachment; filename="session.jsonl"' },
  };
}

function messageReply({ wire }: PageSession, number: number): Reply {
  const text = wire.textOf(number);
  if (text === undefined) throw new BadRequest("the message is not of the last connection");
  return {
    ...{ type: "application/octet-stream", body: text },
    headers: { "content-disposition": `attachment; filename="message-${number}.json"` },
  };
}

function checkReply(session: PageSession, body: unknown): Reply {
  const { schema, content } = isJsonObject(body) ? body : {};
  if (!isJsonObject(schema!) || !isJsonObject(content!))
    throw new BadRequest("expected the objects schema and content");
  return jsonReply({ issues: session.formIssues(schema, content) });
}

/** Markdown of the server as markup, which the browser parses outside the page; empty if it would omit any text. */
function markupReply(body: unknown): Reply {
  const markup = markdownHtml(memberOf(body, "text", "string"));
  return { type: "text/html; charset=utf-8", body: visible(markup?.text ?? "") };
}

function revisionOf(body: unknown): string | undefined {
  const isNewest = isJsonObject(body) && body["revision"] === undefined;
  return isNewest ? undefined : memberOf(body, "revision", "string");
}

interface Types {
  readonly number: number;
  readonly string: string;
}

/** @throws BadRequest if the body lacks the property or it has another type */
function memberOf<Type extends keyof Types>(body: unknown, name: string, type: Type): Types[Type] {
  const value = isJsonObject(body) ? body[name] : undefined;
  if (typeof value !== type) throw new BadRequest(`expected the ${type} ${name}`);
  return value as unknown as Types[Type];
}

/** Differences between a live server and the project's only contract, as `check --server` finds them. */
async function driftOf(
  captured: Captured,
  { args, project, context }: ProjectRun,
): Promise<readonly Drift[]> {
  const { contract: live, unread } = captured;
  const { config, folder } = project.loaded;
  const [only, another] = (config.contracts ?? []).filter(({ role }) => role !== "client");
  if (!only || another) return [];
  const file = resolve(folder, only.file);
  const contract = await contractSource(file, serverOptions(args, context), context);
  const approvals = await loadApprovals(args, project, context);
  const evaluation = evaluationBy(approvals, { ...policyOf(args, project), failOn: "any" });
  const { report } = compareContracts(contract, capturedSource(captured, "the server"), evaluation);
  // Entries of an unread list are unknown, so findings about them are dropped.
  const isKnown = ({ subject }: ReportedFinding): boolean =>
    "method" in subject || !unread.some(({ list }) => subject.definition.startsWith(`${list}/`));
  return report.findings
    .filter((finding) => !finding.approval && isKnown(finding))
    .map((finding) => driftFrom(finding, contract.contract, live));
}

function driftFrom(finding: ReportedFinding, contract: Contract, live: Contract): Drift {
  const { rule, subject, fails, pointers, why } = finding;
  const shape = changeText(finding);
  const entry = entryOf(pointers.new, live, live) ?? entryOf(pointers.old, contract, live);
  return {
    severity: fails ? "error" : "warning",
    message: `${rule}: ${subjectText(subject)}${shape === "" ? "" : `: ${shape}`}. ${why}`,
    ...(entry && { entry }),
  };
}

/** The entry of the live server that corresponds to a place in one of the contracts. */
function entryOf(pointer: string | null, contract: Contract, live: Contract): Drift["entry"] {
  const [, list, index] = pointerTokens(counterpart(pointer ?? "", contract, live));
  const isList = list !== undefined && Object.hasOwn(identities, list);
  return isList && index !== undefined ? { list: list as ContractList, index: Number(index) } : undefined;
}

/**
 * The page of `mcpgen dev`. Its script sends requests only to the server that delivered it, and may show
 * images and play audio from `data:` URLs.
 */
export function devPage(render: Render): PageDocument {
  return servedDocument(
    {
      title: "mcpgen dev",
      body: new Html(render("dev.html", {})),
      ...{ programs: ["dev"], styles: ["dev.css"] },
      policy: { "connect-src": "'self'", "img-src": "data:", "media-src": "data:" },
    },
    render,
  );
}
