// The rooms of the project, from the lowest to the highest of each building: a file imports from its own room and from
// rooms below it, never from one above.

export interface Room {
  /** A folder with everything in it, except folders that are separate rooms; or a single file. */
  readonly path: string;
  /** The content of the room, in a few words. */
  readonly holds: string;
}

export interface Building {
  readonly folder: string;
  /** The rooms, the lowest first. */
  readonly rooms: readonly Room[];
  /** Pairs of rooms that must not import one another, in either direction. */
  readonly walls?: readonly (readonly [string, string])[];
}

export const buildings: readonly Building[] = [
  {
    folder: "engine",
    rooms: [
      { path: "engine/ir", holds: "JSON values, keywords, the schema IR and its references" },
      { path: "engine/patterns", holds: "regular expressions in linear time" },
      { path: "engine/formats", holds: "formats in linear time" },
      { path: "engine/emitted", holds: "modules that are copied into output as they stand" },
      { path: "engine/explain", holds: "what is wrong with a value" },
      { path: "engine/document", holds: "schemas as they are written: defaults, null members, forms" },
      { path: "engine/resources", holds: "dialects, canonical form, $id, anchors, bundling" },
      { path: "engine/read", holds: "documents into the IR" },
      { path: "engine/interpret", holds: "validation by the IR" },
      { path: "engine/infer", holds: "the TypeScript type of a literal schema" },
      { path: "engine/uri-template", holds: "URI templates" },
      { path: "engine/meta-schemas", holds: "the official meta-schemas" },
      { path: "engine", holds: "the entries of the package" },
    ],
  },
  {
    folder: "runtime/base",
    rooms: [
      { path: "runtime/base/platform", holds: "types that the platform declares" },
      { path: "runtime/base/time", holds: "clock, timeouts, abort signals" },
      { path: "runtime/base/admission", holds: "quotas, bounded maps, turns" },
      { path: "runtime/base/jsonrpc", holds: "messages, errors, one side of a connection, channels" },
      { path: "runtime/base/options", holds: "judging options and members by name" },
      { path: "runtime/base", holds: "the entries of the package" },
    ],
  },
  {
    folder: "runtime/core",
    rooms: [
      { path: "runtime/core/schema", holds: "schemas of tools, and what is wrong with a value" },
      {
        path: "runtime/core/protocol",
        holds: "the revision as a role uses it; _meta, capabilities, headers",
      },
      { path: "runtime/core/server", holds: "the server role" },
      {
        path: "runtime/core/legacy/server",
        holds: "the handshake, and requests to clients: legacy servers",
      },
      { path: "runtime/core/client", holds: "the client role" },
      { path: "runtime/core/stdio", holds: "stdio, both sides" },
      { path: "runtime/core/http/server", holds: "HTTP, the server's side" },
      {
        path: "runtime/core/legacy/http",
        holds: "sessions, event streams, HTTP+SSE: legacy servers over HTTP",
      },
      { path: "runtime/core/http/client", holds: "HTTP, the client's side" },
      { path: "runtime/core/connect", holds: "from an address to a client" },
      { path: "runtime/core/legacy/client", holds: "the handshake: clients of legacy servers" },
      { path: "runtime/core/extending", holds: "what packages of extensions get of a server and a client" },
      { path: "runtime/core", holds: "the entries of the package" },
    ],
    walls: [
      ["runtime/core/server", "runtime/core/client"],
      ["runtime/core/server", "runtime/core/http/client"],
      ["runtime/core/client", "runtime/core/http/server"],
      ["runtime/core/http/server", "runtime/core/http/client"],
      ["runtime/core/legacy/client", "runtime/core/server"],
      ["runtime/core/legacy/client", "runtime/core/http/server"],
      ["runtime/core/legacy/server", "runtime/core/client"],
      ["runtime/core/legacy/server", "runtime/core/http/client"],
      ["runtime/core/legacy/http", "runtime/core/client"],
      ["runtime/core/legacy/http", "runtime/core/http/client"],
    ],
  },
  {
    folder: "runtime/testing",
    rooms: [
      { path: "runtime/testing/kit", holds: "pairs, virtual time, recording, replay" },
      { path: "runtime/testing", holds: "the entry of the package" },
    ],
  },
  {
    folder: "runtime/auth",
    rooms: [
      { path: "runtime/auth/shared", holds: "URLs, challenges, guarded fetch, scopes, errors" },
      { path: "runtime/auth/client", holds: "discovery, registration, tokens; the flows of clients" },
      { path: "runtime/auth/server", holds: "resource servers: tokens, scopes, proofs, metadata" },
      { path: "runtime/auth/proxy", holds: "an authorization server in front of another one" },
      { path: "runtime/auth/node", holds: "redirects, browser, token stores and locks on Node" },
      { path: "runtime/auth", holds: "the entries of the package" },
    ],
    walls: [
      ["runtime/auth/client", "runtime/auth/server"],
      ["runtime/auth/client", "runtime/auth/proxy"],
      ["runtime/auth/server", "runtime/auth/node"],
      ["runtime/auth/proxy", "runtime/auth/node"],
    ],
  },
  {
    folder: "runtime/tasks",
    rooms: [
      { path: "runtime/tasks/state", holds: "the record of a task, and what events make of it" },
      { path: "runtime/tasks/store", holds: "stores: interface, memory, rules" },
      { path: "runtime/tasks/server", holds: "tasks of servers: runs, ids, quotas, messages" },
      { path: "runtime/tasks/client", holds: "tasks of clients: polling, input, handles" },
      { path: "runtime/tasks", holds: "the entries of the package" },
    ],
    walls: [["runtime/tasks/server", "runtime/tasks/client"]],
  },
  {
    folder: "runtime/apps",
    rooms: [
      { path: "runtime/apps/post-message", holds: "a channel between windows, frames and workers" },
      { path: "runtime/apps/peer", holds: "one side of a channel of an extension" },
      { path: "runtime/apps", holds: "the entry of the package" },
    ],
  },
  {
    folder: "runtime/observe",
    rooms: [
      { path: "runtime/observe/logging", holds: "a line for each request" },
      { path: "runtime/observe/rates", holds: "requests a minute, and how long one may take" },
      { path: "runtime/observe/otel", holds: "traces and metrics by OpenTelemetry's conventions" },
      { path: "runtime/observe", holds: "the entries of the package" },
    ],
  },
  {
    folder: "runtime/cluster",
    rooms: [
      { path: "runtime/cluster/codes", holds: "codes that processes with the same secrets make" },
      { path: "runtime/cluster/sealed", holds: "sessions whose id holds them, encrypted" },
      { path: "runtime/cluster/health", holds: "routes for load balancers and supervisors" },
      { path: "runtime/cluster/sharing", holds: "sessions that several processes serve at once" },
      { path: "runtime/cluster", holds: "the entries of the package" },
    ],
  },
  {
    folder: "runtime/bridge",
    rooms: [
      {
        path: "runtime/bridge/upstream",
        holds: "connections with the server behind a bridge, and what it sends",
      },
      { path: "runtime/bridge/front", holds: "the server that clients of a bridge see" },
      { path: "runtime/bridge", holds: "the entry of the package" },
    ],
  },
  {
    folder: "runtime/sqlite",
    rooms: [
      { path: "runtime/sqlite/store", holds: "stores in SQLite" },
      { path: "runtime/sqlite", holds: "the entry of the package" },
    ],
  },
  {
    folder: "runtime/postgres",
    rooms: [
      { path: "runtime/postgres/store", holds: "stores in PostgreSQL" },
      { path: "runtime/postgres", holds: "the entry of the package" },
    ],
  },
  {
    folder: "runtime/redis",
    rooms: [
      { path: "runtime/redis/store", holds: "stores in Redis" },
      { path: "runtime/redis", holds: "the entry of the package" },
    ],
  },
  {
    folder: "generator",
    rooms: [
      { path: "generator/diagnostics", holds: "error codes, findings, suggestions" },
      { path: "generator/secrets", holds: "the secrets of the process, hidden in all output" },
      { path: "generator/files", holds: "reading, positions, download; plan, compare, atomic write" },
      { path: "generator/print", holds: "names, text, layout, formatting" },
      { path: "generator/notes", holds: "annotations of a schema" },
      { path: "generator/model", holds: "the protocol model" },
      { path: "generator/sample", holds: "instances of a schema" },
      { path: "generator/compare", holds: "alignment of two schemas" },
      { path: "generator/targets/typescript", holds: "a folder an output" },
      { path: "generator/revision", holds: "the revision store: schema, notes, lock" },
      { path: "generator/extension", holds: "the store of extensions: file, ids, schema, notes" },
      { path: "generator/contract", holds: "contract files, and what is emitted from them" },
      { path: "generator/diff", holds: "rules, witnesses, reports, uses" },
      { path: "generator/sync", holds: "users' handlers kept complete" },
      { path: "generator/lint", holds: "rules about contracts" },
      { path: "generator/page", holds: "pages to read: layout, references, reports" },
      { path: "generator/login", holds: "credentials for live servers: environment, stores, logins" },
      { path: "generator/capture", holds: "live servers" },
      { path: "generator/host", holds: "hosts run with a scripted model" },
      { path: "generator/distribution", holds: "Dockerfile, server.json, bundle manifest" },
      { path: "generator/init", holds: "new projects" },
      { path: "generator/config", holds: "mcpgen.config.json" },
      { path: "generator/pipeline", holds: "from sources to finished files" },
      { path: "generator/dev", holds: "the development loop: watching, compiling, sessions" },
      { path: "generator/command", holds: "the command line" },
      { path: "generator", holds: "the entries" },
    ],
  },
];
