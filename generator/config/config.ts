/** The content of mcpgen.config.{json,js,ts}. Paths are relative to the file. */
export interface Config {
  /** Revisions to generate (default: all in the schema folder). */
  readonly revisions?: readonly string[];
  /** The schema folder (default: `schema`). */
  readonly schema?: string;
  /** The output folder (default: `generated`). */
  readonly out?: string;
  /** Write a package.json and a README.md into the output folder: its name, or its name with further members. */
  readonly package?: string | PackageConfig;
  /** Contracts to generate from, each into a separate folder, or only to compare with their servers. */
  readonly contracts?: readonly ContractConfig[];
  /** Extension of relative imports in generated code (default: `js`). */
  readonly importExtension?: "js" | "ts";
  /** Folder with templates that replace the shipped ones of the same name. */
  readonly templates?: string;
  /** Modules with further emitters. */
  readonly plugins?: readonly string[];
  /** Defaults of `mcpgen diff`. */
  readonly diff?: DiffConfig;
}

/** Members of the package.json of the output, e.g. `version`, `repository`. What the output decides is not among them. */
interface PackageConfig {
  readonly name: string;
  readonly [member: string]: unknown;
}

export interface ContractConfig {
  readonly file: string;
  /** The folder of generated code. Without it, nothing is generated from the contract: `check` compares its server. */
  readonly out?: string;
  /** Needed beside `out`. */
  readonly role?: "client" | "server" | "both";
  /** Whether `format` is checked, of the formats that are known (`assertion`), or only describes (default). */
  readonly formats?: "annotation" | "assertion";
  /** Folder that references of schemas to files may lead into; without it, none are followed. */
  readonly base?: string;
  /** The live server of the contract, which `mcpgen check` compares with it. Commands start in the file's folder. */
  readonly server?: string;
}

export interface DiffConfig {
  readonly readers?: "open" | "closed";
  readonly failOn?: "breaking" | "dangerous" | "any" | "never";
  /** Severity by rule id. */
  readonly rules?: Readonly<Record<string, string>>;
}

/** A contract that code is generated from. */
export type GeneratedContract = ContractConfig & Required<Pick<ContractConfig, "out" | "role">>;

/** The contracts of the configuration that code is generated from. */
export function generatedContracts({ contracts = [] }: Config): GeneratedContract[] {
  return contracts.filter((contract): contract is GeneratedContract => contract.out !== undefined);
}

/** The package name from the configuration. */
export function packageNameIn({ package: asked }: Config): string | undefined {
  return typeof asked === "object" ? asked.name : asked;
}

/** Types a configuration module: `export default defineConfig({ … })`. */
export function defineConfig(config: Config): Config {
  return config;
}
