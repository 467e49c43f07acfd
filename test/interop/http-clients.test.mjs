// Clients that speak HTTP alone with servers of ours.
import { httpPairs } from "./http-pairs.mjs";
import { httpClients, oursOverHttp } from "./peers.mjs";

httpPairs(httpClients, oursOverHttp);
