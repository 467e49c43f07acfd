# The worker of worker.mjs, bundled; without nodejs_compat: nothing of Node is there.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "suite", worker = .suite) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "suite") ],
);

const suite :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "worker.js") ],
  compatibilityDate = "2026-07-28",
  bindings = [ (name = "OBJECT", durableObjectNamespace = "Endpoint") ],
  durableObjectNamespaces = [ (className = "Endpoint", uniqueKey = "portability") ],
  durableObjectStorage = (inMemory = void),
);
