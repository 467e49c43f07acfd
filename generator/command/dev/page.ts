import { LiveTasks, taskExtensions } from "../../capture/live-tasks.js";
import type { Runtime } from "../../capture/runtime.js";
import { packageNameIn } from "../../config/config.js";
import { EventStream } from "../../dev/page/event-stream.js";
import { judgedOffer } from "../../dev/page/offer.js";
import { type Reply, PageServer } from "../../dev/page/page-server.js";
import { PageSession } from "../../dev/page/page-session.js";
import type { JudgeMessage } from "../../dev/page/wire-log.js";
import { devPage } from "../../page/dev-page.js";
import { secrets } from "../../secrets/secrets.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { openSecretly } from "../docs/page-file.js";
import { pageTemplates } from "../docs/templates.js";
import { usualProfiles } from "../../lint/rule.js";
import type { Project } from "../project.js";
import { serverOptions } from "../server-options.js";
import { Judge } from "../validate/judge.js";
import {
  type Protocol,
  type ProtocolPlace,
  builtFolders,
  loadProtocol,
  loadProtocolExtension,
} from "../validate/protocol.js";
import { withExtension } from "../validate/with-extension.js";
import type { Change } from "./change-report.js";
import { driftOf } from "./drift.js";
import { routesOf } from "./page-routes.js";
import type { DevelopedServer } from "./server-command.js";
import type { Session } from "./session.js";

/** The tasks of a page end with it. */
const keepsNothing = {
  handles: { put: () => {}, delete: () => {} },
  onAbort: "cancel",
  onTask: () => {},
} as const;

/** The page of a loop: an HTTP server on this machine, and the session that the page uses. */
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

  /** Serves the page; `--open` also opens it. */
  static async open(
    runtime: Runtime,
    developed: DevelopedServer,
    args: Arguments,
    context: CommandContext,
    project: () => Project,
  ): Promise<DevPage> {
    const events = new EventStream();
    const protocols = await protocolsOf(runtime, project(), context);
    const tasks = await LiveTasks.load(keepsNothing);
    const session = new PageSession({
      ...{ runtime, tasks, source: developed.source },
      server: { ...serverOptions(args, context), directory: developed.directory },
      send: (event) => events.send(event),
      judgeOf: (revision) => judgeOf(protocols.get(revision)),
      judged: async (offer, captured) =>
        judgedOffer(
          offer,
          captured.contract,
          usualProfiles,
          await driftOf(captured, args, project(), context),
        ),
    });
    const { text, policy } = devPage(pageTemplates(args, project(), context));
    const page: Reply = {
      ...{ type: "text/html; charset=utf-8", body: text },
      headers: { "content-security-policy": `${policy}; frame-ancestors 'none'` },
    };
    const server = await PageServer.open(routesOf(page, events, session));
    context.console.note(`page: ${server.url}`);
    // This line is the only one that shows the address.
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

  /** Shows a run of the loop. */
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

/** The revisions that messages are judged by, as `validate` has them. */
async function protocolsOf(
  { revisions }: Runtime,
  { loaded, outDir }: Project,
  { directory }: CommandContext,
): Promise<ReadonlyMap<string, Protocol>> {
  const place: ProtocolPlace = {
    directory,
    packageName: packageNameIn(loaded.config),
    built: builtFolders(loaded.folder, outDir),
    // The code of the project runs anyway.
    admits: async () => true,
  };
  const found = await Promise.all(revisions.map(async ({ id }) => [id, await withTasks(id, place)] as const));
  return new Map(found.flatMap(([id, protocol]) => (protocol ? [[id, protocol] as const] : [])));
}

/** A revision with the extensions that the client of the page declares; undefined where it is not there. */
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
