import type { ClientCapabilities } from "@mcpgen/protocol/authoring";
import type { AnswerContext, ConnectOptions, ServerSession } from "@mcpgen/runtime";
import { type Back, allowedOf } from "./options.js";

/** The caller that is asked. */
interface Asked {
  readonly clientCapabilities: ClientCapabilities;
  readonly session: ServerSession | undefined;
}

/** Passes a question on. */
export type Answer = (method: string, params: object, context: AnswerContext) => Promise<never>;

/** The options of a client that declares what a caller has declared, and passes the questions on. */
export function questionsOf(back: Back, caller: Asked, answer: Answer): Partial<ConnectOptions> {
  const declared = allowedOf(back, caller.clientCapabilities);
  const { elicitation, sampling, roots, experimental, extensions } = declared;
  // Servers keep roots whose changes are reported: another caller must not get them.
  const listChanged =
    caller.session !== undefined && (roots as { listChanged?: boolean })?.listChanged === true;
  const elicit = (params: object, context: AnswerContext) => answer("elicitation/create", params, context);
  const hasForm = elicitation && (elicitation.form !== undefined || elicitation.url === undefined);
  const { tools, context: others } = sampling ?? {};
  return {
    ...(elicitation && {
      elicit: { ...(hasForm && { form: elicit }), ...(elicitation.url && { url: elicit }) },
    }),
    ...(sampling && {
      sample: {
        answer: (params, context) => answer("sampling/createMessage", params, context),
        ...(tools && { tools: true }),
        ...(others && { context: true }),
      },
    }),
    ...(roots && {
      roots: async (context) => ((await answer("roots/list", {}, context)) as { roots: never }).roots,
    }),
    capabilities: {
      ...(experimental && { experimental }),
      ...(extensions && { extensions }),
      ...(roots && { roots: { listChanged } }),
    },
  };
}
