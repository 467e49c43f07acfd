# workers-oauth-provider.worker.mjs, bundled, with a KV namespace in memory.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "provider", worker = .provider), (name = "values", worker = .values) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "provider") ],
);

const provider :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "workers-oauth-provider.js") ],
  compatibilityDate = "2026-07-28",
  bindings = [ (name = "OAUTH_KV", kvNamespace = "values") ],
);

const values :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "key-values.js") ],
  compatibilityDate = "2026-07-28",
);
