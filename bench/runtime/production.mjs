import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const folder = path("node_modules/.cache/production/");

/**
 * Options of esbuild that put a server into one file for production, as the command does that `mcpgen
 * package` prints.
 */
export const bundling = {
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  legalComments: "none",
  // esbuild would warn of imports that it rightly drops.
  logLevel: "error",
  define: { "process.env.NODE_ENV": '"production"' },
};

/** mcpgen's server in development: not bundled, and with checks of the messages that it sends. */
export const oursInDevelopment = path("../../dist/examples/bench-server/main.js");

/** mcpgen's programs as users run them in production: each is one file. */
export const ours = {
  server: `${folder}server.mjs`,
  http: `${folder}http.mjs`,
  client: `${folder}client.mjs`,
  protected: `${folder}protected.mjs`,
  extensions: `${folder}extensions.mjs`,
  tasks: `${folder}tasks.mjs`,
};

/** Builds the files of `ours`. It loads the bundler, so processes under test do not import it. */
export async function bundleOurs() {
  const { build } = await import("esbuild");
  const entries = {
    server: path("servers/ours.mjs"),
    http: oursInDevelopment,
    client: path("clients/ours.mjs"),
    protected: path("servers/http/ours-protected.mjs"),
    extensions: path("servers/ours-extensions.mjs"),
    tasks: path("servers/ours-tasks.mjs"),
  };
  await build({ ...bundling, ...into(folder), entryPoints: entries });
}

/**
 * Joins the own files of servers of another folder, `{ name: path }`, in a place where packages of node_modules
 * here are found. Returns the paths by name.
 */
export async function joinServers(subfolder, entryPoints) {
  const { build } = await import("esbuild");
  const outdir = `${folder}${subfolder}/`;
  await build({
    ...into(outdir),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    entryPoints,
  });
  return Object.fromEntries(Object.keys(entryPoints).map((name) => [name, `${outdir}${name}.mjs`]));
}

function into(outdir) {
  return { outdir, outExtension: { ".js": ".mjs" } };
}
