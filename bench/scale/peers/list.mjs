// The servers that are compared on four nodes. platformatic/mcp is not in the registry of npm: it takes part
// if MCPGEN_PLATFORMATIC names a clone that was installed and built.
import { fileURLToPath } from "node:url";

/** `isBound`: a session is valid only at the node that made it. */
export const peers = [
  { name: "ours, sealed sessions", program: "ours" },
  { name: "ours, Redis", program: "ours", usesRedis: true },
  { name: "SDK v2, sessions", program: "sdk-v2", isBound: true },
  { name: "SDK v2, stateless", program: "sdk-v2", env: { STATELESS: "1" } },
  ...(process.env.MCPGEN_PLATFORMATIC
    ? [
        { name: "platformatic, memory", program: "platformatic" },
        { name: "platformatic, Redis", program: "platformatic", usesRedis: true },
      ]
    : []),
];

export const program = ({ program: file }) => fileURLToPath(new URL(`${file}.mjs`, import.meta.url));
