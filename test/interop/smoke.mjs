// Both official SDKs with ours, both ways, on stdio and over HTTP, in the newest revision of each era that both speak. The
// files `*.test.mjs` beside this one have every implementation and revision.
import { describe } from "node:test";
import { pair } from "./pair.mjs";
import { clients, httpServers, modern, oursOverHttp, servers } from "./peers.mjs";
import { started } from "./started.mjs";

const { ours: ourClient, ...sdkClients } = clients;
const sdkServers = Object.entries(servers).filter(([name]) => name.startsWith("sdk-"));
const sdkHttpServers = Object.entries(httpServers).filter(([name]) => name.startsWith("sdk-"));
const [ourHttpServer] = Object.entries(oursOverHttp);

/** Of the revisions of both, the newest one with a handshake and the newest one without. */
function newest(client, server) {
  const both = client.revisions.filter((one) => server.revisions.includes(one));
  return [both.findLast((one) => one < modern), both.find((one) => one === modern)].filter(Boolean);
}

function pairs(someClients, someServers, open) {
  for (const client of someClients)
    for (const server of someServers)
      for (const revision of newest(client[1], server[1])) pair(client, server, revision, open);
}

const onStdio = ({ file }) => ({ target: file });
const overHttp = async ({ command, env, path }) => {
  const { url, close } = await started(command, env, path);
  return { target: url, close };
};

describe("on stdio", { concurrency: 2 }, () => {
  pairs(Object.entries(sdkClients), [["ours", servers.ours]], onStdio);
  pairs([["ours", ourClient]], sdkServers, onStdio);
});

describe("over HTTP", { concurrency: 2 }, () => {
  pairs(Object.entries(sdkClients), [ourHttpServer], overHttp);
  pairs([["ours", ourClient]], sdkHttpServers, overHttp);
});
