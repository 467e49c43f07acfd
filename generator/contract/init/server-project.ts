import { commentText } from "../../emit/text.js";
import type { Render } from "../../emit/templates.js";
import type { ContractDocument } from "../contract.js";
import { contractNames } from "../emit/names.js";
import { handlersStub } from "../sync/stub.js";
import { wantedMembers } from "../sync/wanted.js";

/** Where generated code goes, below the project. */
export const generatedFolder = "src/generated";

export interface ServerProject {
  readonly document: ContractDocument;
  /** The contract's file below the project. */
  readonly contractFile: string;
  /** The contract is the one that projects start with: its tool is written, too. */
  readonly isSample: boolean;
  /** Versions of our packages. */
  readonly version: string;
  readonly render: Render;
}

/** The text of the contract that projects start with. */
export function sampleContract(name: string, render: Render): string {
  // A string of JSON is one of YAML.
  return render("skeleton-contract.yaml", { name: JSON.stringify(name) });
}

/** The files of a new server that are its author's from then on, by path. */
export function serverProject({
  document,
  contractFile,
  isSample,
  version,
  render,
}: ServerProject): Map<string, string> {
  const { contract } = document;
  const create = `create${contractNames(contract).server}Server`;
  const title = commentText(contract.title ?? contract.name).replaceAll("\n", " ");
  const module = "./generated/server.js";
  return new Map([
    [".gitignore", "dist/\nnode_modules/\n"],
    ["README.md", render("skeleton-README.md", { title, contract: contractFile })],
    [contractFile, document.text],
    [
      "mcpgen.config.json",
      json({ contracts: [{ file: contractFile, out: generatedFolder, role: "server" }] }),
    ],
    ["package.json", json(packageJson(contract.name, version))],
    [
      "src/handlers.ts",
      isSample ? render("skeleton-handlers.ts", {}) : handlersStub(wantedMembers(contract), module),
    ],
    ["src/main.ts", render("skeleton-main.ts", { create })],
    [
      "test/server.test.mjs",
      render("skeleton-server.test.mjs", { create, greets: isSample ? [create] : [] }),
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
