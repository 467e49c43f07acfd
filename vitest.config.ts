import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["mcpgen-source", "node", "import", "default"] } },
  resolve: { conditions: ["mcpgen-source", "node", "import", "default"] },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/interop/**", "test/portability/**", "**/node_modules/**"],
    server: { deps: { inline: [/@mcpgen\//] } },
  },
});
