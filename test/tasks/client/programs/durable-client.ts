import { tasks as extension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { type TaskHandle, tasks } from "@mcpgen/tasks/client";
import { fileHandles } from "@mcpgen/tasks/handles";

// A client that stops at a given point, and waits there until it is killed. Without a point, it continues with the
// handles in the folder.
const [url = "", folder = "", stop = ""] = process.argv.slice(2);
const say = (word: string): void => void process.stdout.write(`${word}\n`);
const forever = (): Promise<never> => new Promise(() => setInterval(() => {}, 60_000));

const files = fileHandles(folder);
const handles = {
  ...files,
  put: async (handle: Parameters<typeof files.put>[0]) => {
    await files.put(handle);
    if (stop === "answered" && Object.keys(handle.answers).length > 0) {
      say("stopped");
      await forever();
    }
  },
};
const own = tasks(extension, { handles });
const client = await connect(url, {
  revisions: clientRevisions,
  extensions: [own],
  elicit: async () => {
    say("asked");
    if (stop === "asked") {
      say("stopped");
      await forever();
    }
    return { action: "accept", content: { name: "Ada" } };
  },
});
if (stop === "") {
  const [stored] = await files.all();
  const result = await own
    .resume(stored!)
    .result<{ readonly content: readonly { readonly text: string }[] }>();
  say(`result ${result.content[0]!.text}`);
  say(`left ${(await files.all()).length}`);
  await client.close();
} else {
  const handle = (await own.start("greet")) as TaskHandle;
  if (stop === "started") {
    say("stopped");
    await forever();
  }
  await handle.result();
}
