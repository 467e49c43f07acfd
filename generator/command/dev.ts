import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { interruption } from "../capture/interruption.js";
import { loadRuntime } from "../capture/runtime.js";
import { HostLimits } from "../dev/host-limits.js";
import { WatchedFiles } from "../dev/watched-files.js";
import { type Finding, CodedError, findingOfError } from "../diagnostics/coded-error.js";
import {
  type Arguments,
  type CommandContext,
  type RunCommand,
  type Outcome,
  contextWith,
} from "./command.js";
import { type Change, ChangeReport, filesText, seconds } from "./dev/change-report.js";
import { DevPage } from "./dev/page.js";
import { Preparation } from "./dev/preparation.js";
import { developedServer } from "./dev/server-command.js";
import { type Session, type SessionEvents, openSession, recorder } from "./dev/session.js";

/** Keeps output, handlers, types and a running server up to date with the files, until it is interrupted. */
export const dev: RunCommand = async (args, given) => {
  // The command runs the project's code at the user's request, so the code is trusted.
  const context = contextWith(given, { trust: given.trust.runningCode(args) });
  refuseContradictions(args, context);
  refuseRecord(args, context);
  const preparation = await Preparation.open(args, context);
  const server = developedServer(args, preparation, context.directory);
  const runtime = await loadRuntime();
  const limits = new HostLimits();
  const page =
    args.flag("open") || args.flag("page")
      ? await DevPage.open(runtime, server, limits, () => ({ args, project: preparation.project, context }))
      : undefined;
  const record = await recorder(args, context);
  const open: OpenSession = (events) =>
    page ?? openSession(runtime, server, args, context, { ...events, record, limits });
  const loop = new Loop(preparation, context, page, open);
  limits.found = (tool, finding) => loop.add({ subject: `call of ${tool}`, done: [], findings: [finding] });
  return loop.run();
};

/** @throws CodedError MG2005 */
function refuseContradictions(args: Arguments, { console }: CommandContext): void {
  if (!args.flag("stdio") || console.settings.format !== "json") return;
  throw new CodedError("MG2005", "--stdio and --json exclude each other", {
    next: "Leave one of them out.",
  });
}

/** @throws CodedError MG2005 for a recording in a file that exists */
function refuseRecord(args: Arguments, { directory }: CommandContext): void {
  const file = args.string("record");
  if (file === undefined) return;
  if (existsSync(resolve(directory, file)))
    throw new CodedError("MG2005", "--record needs a new file, got one that exists", {
      place: { file },
      next: "Name another file, or remove this one.",
    });
}

type OpenSession = (events: Omit<SessionEvents, "record" | "limits">) => Session;

/** Prepares the project and restarts the server after each change. */
class Loop {
  readonly #preparation: Preparation;
  readonly #context: CommandContext;
  readonly #report: ChangeReport;
  readonly #watched: WatchedFiles;
  readonly #session: Session;
  readonly #page: DevPage | undefined;
  #restarts = 0;
  #changes = 0;
  /** Whether the running server, if there is one, is older than the prepared code. */
  #behind = true;

  constructor(
    preparation: Preparation,
    context: CommandContext,
    page: DevPage | undefined,
    open: OpenSession,
  ) {
    this.#preparation = preparation;
    this.#context = context;
    this.#report = new ChangeReport(context.console);
    this.#watched = new WatchedFiles(() => preparation.inputs());
    this.#page = page;
    this.#session = open({
      lost: (reason) => this.#lost(reason),
      ended: () => this.#watched.close(),
    });
  }

  async run(): Promise<Outcome> {
    const end = async (): Promise<void> => {
      this.#watched.close();
      this.#preparation.close();
      await this.#session.close();
    };
    const released = interruption.endsFirst(end);
    try {
      await this.#cycle(undefined);
      for (;;) {
        const changed = await this.#watched.changes();
        if (changed.length === 0) break;
        this.#changes++;
        await this.#cycle(changed);
      }
    } finally {
      await end();
      await released();
    }
    return { data: { changes: this.#changes, restarts: this.#restarts } };
  }

  /** @param changed absolute paths; undefined at the start */
  async #cycle(changed: readonly string[] | undefined): Promise<void> {
    const began = performance.now();
    const prepared = await this.#preparation.run(changed);
    this.#watched.accept(prepared.written);
    const findings: Finding[] = [...prepared.findings];
    const done = [...prepared.done];
    this.#behind ||= prepared.changed;
    const times = new Map(prepared.times);
    if (prepared.ready && this.#behind) {
      const restart = performance.now();
      done.push(await this.#restart(findings));
      times.set("restart", performance.now() - restart);
      // The line appears after the type check, but the server already answers before it.
      if (prepared.types) done[done.length - 1] += ` after ${seconds(performance.now() - began)}`;
    } else if (!prepared.ready)
      done.push(this.#session.isRunning ? "the running server was kept" : "no server was started");
    if (prepared.judge) findings.push(...(await prepared.judge()));
    const types = await prepared.types;
    findings.push(...(types ?? []));
    if (types?.length === 0) done.push("types checked");
    const subject = filesText(changed, this.#context.directory);
    this.#context.console.detail([...times].map(([step, time]) => `${step} ${seconds(time)}`).join(", "));
    this.add({ subject, done, findings, milliseconds: performance.now() - began });
  }

  async #restart(findings: Finding[]): Promise<string> {
    const verb = this.#session.isRunning ? "restarted" : "started";
    try {
      await this.#session.restart();
      this.#behind = false;
      this.#restarts++;
      return `server ${verb}`;
    } catch (error) {
      findings.push(notRunning(error));
      return "the server does not run";
    }
  }

  #lost(reason: unknown): void {
    this.#behind = true;
    this.add({ subject: "server", done: ["it ended by itself"], findings: [notRunning(reason)] });
  }

  add(change: Change): void {
    this.#report.add(change);
    this.#page?.report(change);
  }
}

function notRunning(error: unknown): Finding {
  if (error instanceof CodedError) return findingOfError(error);
  return {
    code: "MG6802",
    severity: "error",
    message: error instanceof Error ? error.message : "the server has closed its output",
    next: "It starts again after the next change.",
  };
}
