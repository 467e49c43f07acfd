import type { LookIn } from "../../sync/meanings.js";
import { ModuleGraph } from "../../sync/module-graph.js";
import { readRegularFile, readRegularText } from "../../files/regular-file.js";
import { Resolution } from "./resolution.js";
import type { ServerContract } from "./server-contracts.js";

interface Text {
  readonly text: string;
  /** Whether the file's bytes are valid UTF-8: only then can `sync` write into the file. */
  readonly isText: boolean;
}

/** The code of a project, and the modules that it imports. */
export class Code {
  private readonly texts: ReadonlyMap<string, Text>;
  private readonly resolution: Resolution;
  private readonly graph: ModuleGraph;
  /** Modules that are not among the files. */
  private readonly others = new Map<string, string | undefined>();

  private constructor(texts: ReadonlyMap<string, Text>, contracts: readonly ServerContract[]) {
    this.texts = texts;
    this.resolution = new Resolution(contracts);
    this.graph = new ModuleGraph({
      resolve: (path, specifier) => this.resolution.resolve(path, specifier),
      read: (path) => texts.get(path)?.text ?? this.other(path),
    });
  }

  /**
   * @param named whether `--handlers` named the files; otherwise unreadable ones are passed over
   * @throws CodedError MG1001 for a file that is named and cannot be read
   */
  static async read(
    files: readonly string[],
    contracts: readonly ServerContract[],
    named: boolean,
  ): Promise<Code> {
    const texts = new Map<string, Text>();
    for (const path of files) {
      try {
        const bytes = readRegularFile(path);
        const text = bytes.toString("utf8");
        texts.set(path, { text, isText: Buffer.from(text).equals(bytes) });
      } catch (error) {
        if (named) throw error;
      }
    }
    return new Code(texts, contracts);
  }

  /** The files that may have to do with handlers; JavaScript that the compiler emits is left out. */
  concerned(contracts: readonly ServerContract[]): { readonly path: string; readonly text: Text }[] {
    const names = contracts.map(({ file }) => file);
    return this.graph
      .concerned([...this.texts.keys()], names)
      .filter((path) => !/\.[cm]?jsx?$/.test(path) || !this.resolution.isOutput(path))
      .map((path) => ({ path, text: this.texts.get(path)! }));
  }

  lookIn(path: string, { file }: ServerContract): LookIn {
    return this.graph.lookIn(path, file);
  }

  /** Files besides its own that decided what names mean: settings of the compiler, and what links lead to. */
  get read(): readonly string[] {
    return [...this.resolution.read, ...this.others.keys()];
  }

  private other(path: string): string | undefined {
    if (!this.others.has(path)) this.others.set(path, textAt(path));
    return this.others.get(path);
  }
}

function textAt(path: string): string | undefined {
  try {
    return readRegularText(path);
  } catch {
    return undefined;
  }
}
