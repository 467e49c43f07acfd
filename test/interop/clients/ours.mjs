import { clientRevisions } from "@mcpgen/protocol";
import { connect as open } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { answers, inboxes } from "../inbox.mjs";

/**
 * A session of our client that only knows `revision`; without it, all revisions.
 *
 * @param target the file of a server, or the URL of one
 */
export async function connect(target, revision, args = [], options = {}) {
  const user = answers();
  const inbox = inboxes();
  const command = [process.execPath, target, ...args];
  const source = target instanceof URL ? target.href : () => stdioClientChannel(command, options);
  const client = await open(source, {
    revisions: clientRevisions.filter(({ id }) => revision === undefined || id === revision),
    elicit: { form: (form) => user.elicit(form), url: (page) => user.elicit(page) },
    sample: (params) => user.sample(params),
    roots: () => user.roots().roots,
  });
  client.on("notifications/message", (params) => inbox.logs.put(params));
  return session(client, user, inbox);
}

function session(client, user, inbox) {
  return {
    user,
    ...inbox,
    revision: () => client.revision,
    instructions: () => client.instructions,
    tools: async () => (await client.listTools()).items,
    call: (name, input, { onProgress, signal } = {}) => client.callTool(name, input, { onProgress, signal }),
    resources: async () => (await client.listResources()).items,
    templates: async () => (await client.listResourceTemplates()).items,
    read: (uri) => client.readResource(uri),
    prompts: async () => (await client.listPrompts()).items,
    prompt: (name, input) => client.getPrompt(name, input),
    complete: (ref, argument) => client.complete({ ref, argument }),
    hear: (level) => client.setLogLevel(level),
    ping: () => client.ping(),
    watch: async (uri) => {
      const subscription = await client.subscribe({ tools: true, uris: [uri] });
      void drain(subscription, inbox);
      return () => subscription.close();
    },
    rootsChanged: () => client.rootsChanged(),
    close: () => client.close(),
  };
}

async function drain(subscription, { updated, toolsChanged }) {
  for await (const notice of subscription) (notice.uri === undefined ? toolsChanged : updated).put(notice);
}
