// Both official SDKs with servers of ours over Streamable HTTP.
import { httpPairs } from "./http-pairs.mjs";
import { clients, oursOverHttp } from "./peers.mjs";

const { ours: _, ...sdks } = clients;
httpPairs(sdks, oursOverHttp);
