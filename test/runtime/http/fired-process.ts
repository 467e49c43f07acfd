import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request as open } from "node:http";
import { onTestFinished } from "vitest";
import { Arrivals } from "../../support/arrivals.js";
import type { Orders, Setup } from "./programs/fired.js";

interface Report {
  readonly id: number;
  readonly answer?: unknown;
  readonly failure?: string;
}

/** The program `fired.ts` in a process, which ends with the test. */
export class FiredProcess {
  readonly child: ChildProcess;
  private readonly waiting = new Map<number, (report: Report) => void>();
  private lastId = 0;

  constructor(program: string) {
    this.child = fork(program, { stdio: ["pipe", "pipe", "inherit", "ipc"] });
    onTestFinished(async () => {
      if (this.child.exitCode !== null) return;
      this.child.kill("SIGKILL");
      await once(this.child, "exit");
    });
    this.child.on("message", (report: Report) => {
      this.waiting.get(report.id)!(report);
      this.waiting.delete(report.id);
    });
  }

  static async start(
    program: string,
    setup: Setup,
  ): Promise<{ process: FiredProcess; urls: readonly string[] }> {
    const process = new FiredProcess(program);
    return { process, urls: await process.order("start", setup) };
  }

  /** Sends an order to the process, and resolves with the outcome. */
  order<Name extends keyof Orders>(
    name: Name,
    ...args: Parameters<Orders[Name]>
  ): Promise<Awaited<ReturnType<Orders[Name]>>> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ answer, failure }) =>
        failure === undefined
          ? resolve(answer as Awaited<ReturnType<Orders[Name]>>)
          : reject(new Error(failure)),
      );
      this.child.send({ id, name, args });
    });
  }
}

/** A whole answer of HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export type Headers = Readonly<Record<string, string>>;

/** Sends many requests over few connections. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 48 });

  constructor() {
    onTestFinished(() => this.agent.destroy());
  }

  send(url: string, method: string, headers: Headers, message?: object): Promise<Answer> {
    return answerOf(url, method, headers, message, this.agent).answer;
  }
}

/** A request on its own connection, and its answer. */
export interface Apart {
  readonly answer: Promise<Answer>;
  /** The status. */
  readonly head: Promise<number>;
  /** Resolves once `found` gives something of the text that has come. */
  until(found: (text: string) => string | undefined): Promise<string>;
  /** Ends the connection. */
  cut(): void;
}

export function sendApart(url: string, method: string, headers: Headers, message?: object): Apart {
  return answerOf(url, method, headers, message, false);
}

function answerOf(
  url: string,
  method: string,
  headers: Headers,
  message: object | undefined,
  agent: Agent | false,
): Apart {
  const body = message && JSON.stringify(message);
  const given =
    body === undefined ? headers : { "content-length": String(Buffer.byteLength(body)), ...headers };
  const request = open(url, { method, headers: given, agent });
  let begun!: (status: number) => void;
  const head = new Promise<number>((resolve) => (begun = resolve));
  let text = "";
  const arrivals = new Arrivals();
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on("response", (message) => {
      begun(message.statusCode!);
      message.setEncoding("utf8");
      message.on("data", (chunk: string) => {
        text += chunk;
        arrivals.announce();
      });
      const done = (): void => resolve({ status: message.statusCode!, headers: message.headers, text });
      message.on("end", done);
      message.on("error", done);
    });
    request.on("error", reject);
  });
  // One that is cut has no answer.
  answer.catch(() => undefined);
  request.end(body);
  const until: Apart["until"] = async (found) => {
    for (;;) {
      const value = found(text);
      if (value !== undefined) return value;
      await arrivals.next();
    }
  };
  return { answer, head, until, cut: () => void request.destroy() };
}
