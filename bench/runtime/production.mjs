import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const folder = path("node_modules/.cache/production/");

/** A server in one file for production, as the command bundles it that `mcpgen package` prints. */
export const bundling = {
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  legalComments: "none",
  // It warns of imports that it rightly drops.
  logLevel: "error",
  define: { "process.env.NODE_ENV": '"production"' },
};

/** Ours in development, as it is built: without a bundle, and with the checks of what it sends. */
export const oursInDevelopment = path("../../dist/examples/bench-server/main.js");

/** Ours as users run it: each program is one file. */
export const ours = {
  server: `${folder}server.mjs`,
  http: `${folder}http.mjs`,
  client: `${folder}client.mjs`,
  protected: `${folder}protected.mjs`,
  extensions: `${folder}extensions.mjs`,
  tasks: `${folder}tasks.mjs`,
};

/** Makes the files of `ours`. Loads the bundler, so processes under test do not import it. */
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
  await build({ ...bundling, entryPoints: entries, outdir: folder, outExtension: { ".js": ".mjs" } });
}
