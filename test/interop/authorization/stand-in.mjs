import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = fileURLToPath(new URL("../../../examples/proxied/login-stand-in.ts", import.meta.url));

/** Starts the login of examples/proxied that stands in for GitHub. */
export async function startStandIn(redirectUri) {
  const options = { bundle: true, platform: "node", format: "esm", write: false, logLevel: "error" };
  const { outputFiles } = await build({ entryPoints: [source], ...options });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`;
  return (await import(url)).startLoginStandIn(redirectUri);
}
