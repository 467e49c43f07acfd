import { commentText } from "../../emit/text.js";
import type { Render } from "../../emit/templates.js";
import type { ContractDocument } from "../contract.js";

/** Where generated code goes, below the project. */
export const generatedFolder = "src/generated";

/** What a new project is made of. */
export interface ProjectRequest {
  readonly role: "client" | "server";
  readonly document: ContractDocument;
  /** The contract's file below the project. */
  readonly contractFile: string;
  /** The contract is the one that projects start with: its tool is written, too. */
  readonly isSample: boolean;
  /** Versions of our packages. */
  readonly version: string;
  readonly render: Render;
}

/** The files that projects of either role have, by path. */
export function commonFiles({
  role,
  document,
  contractFile,
  version,
  render,
}: ProjectRequest): Map<string, string> {
  const { contract } = document;
  const title = commentText(contract.title ?? contract.name).replaceAll("\n", " ");
  const contracts = [{ file: contractFile, out: generatedFolder, role }];
  return new Map([
    [".gitignore", "dist/\nnode_modules/\n"],
    ["README.md", render(`skeleton-${role}-README.md`, { title, contract: contractFile })],
    [contractFile, document.text],
    ["mcpgen.config.json", json({ contracts })],
    [
      "package.json",
      json(packageJson(role === "client" ? `${contract.name}-client` : contract.name, version)),
    ],
    ["tsconfig.json", render("skeleton-tsconfig.json", {})],
  ]);
}

/** TypeScript as it is developed with. */
const typescript = "^7.0.2";

function packageJson(name: string, version: string): object {
  return {
    name: packageName(name),
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      build: "tsc",
      start: "node dist/main.js",
      test: "tsc && node --test test/",
    },
    dependencies: { "@mcpgen/protocol": version, "@mcpgen/runtime": version },
    devDependencies: { mcpgen: version, typescript },
  };
}

/** A name that npm takes, as near to `name` as it can be. */
function packageName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "")
    .slice(0, 200);
  return plain === "" || plain === "node_modules" || plain === "favicon.ico" ? "mcp-server" : plain;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
