// Our client with all servers over Streamable HTTP; MCPGEN_INTEROP_ALL=1 also tests the other clients with them.
import { httpPairs } from "./http-pairs.mjs";
import { clients, httpServers } from "./peers.mjs";

const all = process.env.MCPGEN_INTEROP_ALL === "1";
httpPairs(all ? clients : { ours: clients.ours }, httpServers);
