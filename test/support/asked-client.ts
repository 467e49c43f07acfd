import { type ConnectOptions } from "@mcpgen/runtime";
import * as http from "./scripted-http-server.js";
import { type Members, type Wired, connected, reply } from "./scripted-stdio-server.js";
import { failureOf } from "./failure-of.js";

export const transports = ["stdio", "http"] as const;

export type Transport = (typeof transports)[number];

/** The revisions, and how each asks over each transport. */
export const everyWay = transports.flatMap((transport) =>
  ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    // HTTP+SSE is a separate transport.
    .filter((revision) => transport === "stdio" || revision !== "2024-11-05")
    .map((revision) => [revision, transport] as const),
);

/** The outcome of questions: the answer to each, or the error of the call. */
export interface Outcome {
  readonly answers: readonly Wired[];
  readonly failure: unknown;
}

interface Question {
  readonly method: string;
  readonly params?: Members;
}

const isModern = (revision: string): boolean => revision > "2026";

function roundOf(questions: readonly Question[]): Members {
  const entries = questions.map((question, index) => [`q${index}`, question]);
  return { resultType: "input_required", inputRequests: Object.fromEntries(entries) as Members };
}

function answersOf({ params }: Wired): readonly Wired[] | undefined {
  const given = params?.["inputResponses"] as Members | undefined;
  return given && Object.values(given).map((result) => ({ jsonrpc: "2.0", result }) as Wired);
}

/** Has a server ask its client, in the way of the revision, in the course of a call. */
export function asked(
  revision: string,
  transport: Transport,
  questions: readonly Question[],
  options: Partial<ConnectOptions>,
): Promise<Outcome> {
  return transport === "stdio"
    ? askedOverStdio(revision, questions, options)
    : askedOverHttp(revision, questions, options);
}

async function askedOverStdio(
  revision: string,
  questions: readonly Question[],
  options: Partial<ConnectOptions>,
): Promise<Outcome> {
  let answers: readonly Wired[] = [];
  const { client, peer } = await connected(
    revision,
    {
      "tools/call": async (request, own) => {
        if (isModern(revision)) {
          answers = answersOf(request) ?? answers;
          if (!answersOf(request)) return { result: roundOf(questions) };
        } else answers = await Promise.all(questions.map(({ method, params }) => peer.ask(method, params)));
        return reply(own, { content: [] });
      },
    },
    options,
  );
  const failure = await failureOf(client.callTool("ask"));
  return { answers, failure };
}

async function askedOverHttp(
  revision: string,
  questions: readonly Question[],
  options: Partial<ConnectOptions>,
): Promise<Outcome> {
  let answers: Wired[] = [];
  let call: http.Incoming | undefined;
  const { client } = await http.connected(
    revision,
    {
      "tools/call": (incoming, server) => {
        if (isModern(revision)) {
          const given = answersOf(incoming.message!);
          answers = [...(given ?? answers)];
          return incoming.reply(given ? server.result({ content: [] }) : roundOf(questions));
        }
        call = incoming;
        for (const [index, question] of questions.entries())
          incoming.event({ jsonrpc: "2.0", id: `q${index}`, ...question });
      },
      response: (incoming, server) => {
        answers.push(incoming.message!);
        incoming.status(202);
        if (answers.length === questions.length)
          call!.event(call!.answer(server.result({ content: [] }))).end();
      },
    },
    options,
  );
  const failure = await failureOf(client.callTool("ask"));
  return { answers, failure };
}
