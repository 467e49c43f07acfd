// A process that sends a request for each message, with the tokens of a folder: `agent.mjs FOLDER URL`.
import { oauth } from "../../../../runtime/auth/client.js";
import { fileStore } from "../../../../runtime/auth/node.js";
import { HttpRequests } from "../../../../runtime/core/http/client/http-requests.js";

const [folder, url] = process.argv.slice(2) as [string, string];
const authorize = oauth({ store: fileStore(folder) });
const requests = new HttpRequests(url, { authorize }, false);

process.on("message", () => void send());
process.send!({ ready: true });

async function send(): Promise<void> {
  const { signal } = new AbortController();
  try {
    const { status } = await requests.send({ method: "POST", headers: {}, body: "{}", signal });
    process.send!({ outcome: status });
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    process.send!({ outcome: cause?.code ?? String(error) });
  }
}
