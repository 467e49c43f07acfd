import { type ConnectOptions } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { connected } from "../../support/scripted-http-server.js";
import { failureOf } from "../../support/failure-of.js";

const inputSchema = { type: "object" };
const tools = [
  { name: "look", inputSchema, annotations: { readOnlyHint: true } },
  { name: "set", inputSchema, annotations: { idempotentHint: true, readOnlyHint: false } },
  { name: "add", inputSchema },
];

type Resend = NonNullable<NonNullable<ConnectOptions["http"]>["resend"]>;

/**
 * The numbers of requests for each tool and for a list, by a client whose server cuts the connection at each request.
 */
async function sent(
  revision: string,
  resend: Resend | undefined,
  wanted: boolean | undefined,
): Promise<Record<string, number>> {
  const { server, client } = await connected(
    revision,
    {
      "tools/list": (incoming, own) => incoming.reply(own.result({ tools })),
      "tools/call": (incoming) => void incoming.response.socket!.destroy(),
      "prompts/list": (incoming) => void incoming.response.socket!.destroy(),
    },
    { http: resend === undefined ? {} : { resend } },
  );
  await client.listTools();
  const options = wanted === undefined ? {} : { resend: wanted };
  const calls = tools.map(({ name }) => client.callTool(name, {}, options));
  const failures = await Promise.all([...calls, client.request("prompts/list", {}, options)].map(failureOf));
  expect(failures).toEqual(
    failures.map(
      () => expect.objectContaining({ code: "connection-closed", data: { interrupted: true } }) as unknown,
    ),
  );
  const called = server.of("tools/call").map(({ message }) => message!.params!["name"] as string);
  const counts = tools.map(({ name }) => [name, called.filter((each) => each === name).length] as const);
  return { ...Object.fromEntries(counts), list: server.of("prompts/list").length };
}

test.each(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])(
  "hints of a server alone do not cause a tool call to be sent again; `resend` opts in (%s)",
  async (revision) => {
    const cases: readonly (readonly [Resend | undefined, boolean | undefined, number[]])[] = [
      [undefined, undefined, [1, 1, 1, 4]],
      ["safe", undefined, [1, 1, 1, 4]],
      ["hinted", undefined, [4, 4, 1, 4]],
      ["always", undefined, [4, 4, 4, 4]],
      ["never", undefined, [1, 1, 1, 1]],
      [undefined, true, [4, 4, 4, 4]],
      ["always", false, [1, 1, 1, 1]],
    ];
    const outcomes = await Promise.all(cases.map(([resend, wanted]) => sent(revision, resend, wanted)));
    expect(outcomes.map((outcome) => Object.values(outcome))).toEqual(cases.map(([, , counts]) => counts));
  },
);
