import { fakeModel } from "../../../../dist/generator/hosts.js";
import { nameForm } from "./tools.mjs";

/**
 * Connects a framework to a server: `{ list, call, reports, questions, close }`, where `reports` are the steps of
 * progress that the framework passed on, and `questions` the messages with which it asked the user.
 *
 * A framework with an agent has `ask({ model, signal })`: then the tools and results are those that reached the model.
 * A client library has `list` and `call` in its place.
 */
export async function open(framework, target) {
  const [reports, questions] = [[], []];
  const connected = await framework.connect(target, {
    onProgress: (step) => reports.push(step),
    onQuestion({ message }) {
      questions.push(message);
      const action = message === nameForm.message ? "accept" : "decline";
      return { action, ...(action === "accept" && { content: { name: "Ada" } }) };
    },
  });
  const { ask, close, list, call } = connected;
  return {
    ...{ reports, questions, close },
    list: list ?? (async () => (await conversation(ask, [])).tools),
    call:
      call ??
      (async (tool, args, signal) => resultIn(await conversation(ask, [{ tool, arguments: args }], signal))),
  };
}

/** Plays a script to the end of the framework's run. */
async function conversation(ask, script, signal) {
  const model = await fakeModel({ script, find });
  let error;
  try {
    await ask({ model: model.url, signal });
  } catch (thrown) {
    error = thrown;
  } finally {
    await model.close();
  }
  const [first] = model.turns;
  if (!first) throw error ?? new Error("the framework asked its model for nothing");
  return {
    tools: first.tools,
    results: model.turns.flatMap(({ results }) => results),
    left: model.left,
    error,
  };
}

function resultIn({ results: [result], left, error }) {
  if (result) return result.content;
  if (left.length > 0) throw new Error("the tool was not offered");
  throw error ?? new Error("no result reached the model");
}

/** Frameworks put names in front of a tool's, and replace characters that models do not take. */
export function find(tool, offered) {
  const isSame = ({ name }) => `_${plain(name)}`.endsWith(`_${plain(tool)}`);
  return offered.find(({ name }) => name === tool) ?? offered.find(isSame);
}

function plain(name) {
  return name.replaceAll(/[^a-zA-Z0-9]/g, "_");
}
