import type {
  Era,
  Issue,
  OpenDefinition,
  Revision,
  Role,
  Step,
  StepReport,
  StepTable,
  Steps,
} from "@mcpgen/protocol/model";
import { McpError, rpc } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { summary as linesText } from "../schema/words.js";

/** The forms of generated tables that this runtime reads. */
const formats: readonly number[] = [1];

/** What a step table is about; the name of the table in `Steps`. */
export type StepKind = Exclude<keyof Steps, "previous">;

/**
 * One revision as one side speaks it, with the way between it and the authoring vocabulary, which is that
 * of the newest revision the side was given.
 */
export class Spoken<R extends Role = Role> {
  readonly id: string;
  readonly era: Era;
  readonly revision: Revision<R>;
  /** Steps between this revision and the newest, the newest first. */
  private readonly chain: readonly Steps[];
  private readonly composed = new Map<StepKind, Map<string, readonly Step[]>>();

  constructor(revision: Revision<R>, chain: readonly Steps[]) {
    this.id = revision.id;
    this.era = revision.era;
    this.revision = revision;
    this.chain = chain;
  }

  get table(): Revision<R>["table"] {
    return this.revision.table;
  }

  /** The code of an error, by its name in the tables; of its general kind where the revision has none of that name. */
  errorCode(name: string, general: number = rpc.invalidParams): number {
    return this.table.errors[name]?.code ?? general;
  }

  /** What was received, in the authoring vocabulary. */
  lift(kind: StepKind, method: string, value: Params): Params {
    const steps = this.steps(kind, method);
    let lifted: object = value;
    // Collected newest first.
    for (let index = steps.length - 1; index >= 0; index--) lifted = steps[index]!(lifted, silent);
    return lifted as Params;
  }

  /**
   * What the application wrote, as this revision has it.
   *
   * @throws {McpError} `not-expressible`
   */
  lower(kind: StepKind, method: string, value: Params): Params {
    let lowered: object = value;
    for (const step of this.steps(kind, method)) lowered = step(lowered, silent);
    return lowered as Params;
  }

  private steps(kind: StepKind, method: string): readonly Step[] {
    if (this.chain.length === 0) return none;
    let byMethod = this.composed.get(kind);
    if (!byMethod) this.composed.set(kind, (byMethod = new Map<string, readonly Step[]>()));
    let steps = byMethod.get(method);
    if (!steps) {
      const tables: StepTable[] = this.chain.map((links) => links[kind]);
      steps = tables.flatMap((table) => table.get(method) ?? []);
      byMethod.set(method, steps);
    }
    return steps;
  }

  /** What is wrong with a value that a tolerant reader refused: all of it, where the revision has `check`. */
  async issues(value: unknown, { name, accepts }: OpenDefinition): Promise<readonly Issue[]> {
    const checks = await this.revision.check?.();
    const issues = checks?.[`check${name}`]?.(value, "open") ?? [];
    if (issues.length > 0) return issues;
    const { locateIssue } = await import("../schema/locate.js");
    const issue = locateIssue(accepts, value);
    return issue ? [issue] : [];
  }
}

const none: readonly Step[] = [];

const silent: StepReport = {
  lost: () => {},
  refuse: ({ reason, pointer, code }) => {
    throw new McpError("not-expressible", pointer === "" ? reason : `${pointer}: ${reason}`, {
      data: { refusal: code, pointer },
    });
  },
};

/** At most three lines about issues. */
export function summary(issues: readonly Issue[], otherwise: string): string {
  return issues.length === 0 ? otherwise : linesText(issues.map(({ message }) => message));
}

/**
 * The revisions of one side, the newest first.
 *
 * @throws {McpError} `invalid-definition`: none given, one given twice, a gap between them, or tables that
 *   this runtime does not read
 */
export function speak<R extends Role>(revisions: readonly Revision<R>[]): readonly Spoken<R>[] {
  const newestFirst = [...revisions].sort((one, other) => (one.id < other.id ? 1 : -1));
  if (newestFirst.length === 0)
    throw invalid(
      "no protocol revision is given. Pass `revisions`, such as `serverRevisions` or `clientRevisions` of the generated package.",
    );
  const chain: Steps[] = [];
  return newestFirst.map((revision, index) => {
    if (!formats.includes(revision.format))
      throw invalid(
        `the tables of revision ${revision.id} have format ${String(revision.format)}; this runtime reads ${formats.join(", ")}. Run \`mcpgen generate\` with the version that belongs to the runtime.`,
      );
    const newer = newestFirst[index - 1];
    if (newer) {
      if (newer.id === revision.id) throw invalid(`revision ${revision.id} is given twice. Remove one.`);
      if (newer.steps && newer.steps.previous !== revision.id)
        throw invalid(
          `revision ${newer.steps.previous} is missing between ${revision.id} and ${newer.id}: what is said in one is translated through it. Add it.`,
        );
      if (newer.steps) chain.push(newer.steps);
    }
    return new Spoken(revision, [...chain]);
  });
}

/**
 * Those of the revisions that are to be spoken; what is said in them is translated as if the others were, too.
 *
 * @throws {McpError} `invalid-definition`: none is named, or one that is not among them
 */
export function narrowed<R extends Role>(
  spoken: readonly Spoken<R>[],
  ids: readonly string[] | undefined,
): readonly Spoken<R>[] {
  if (ids === undefined) return spoken;
  const stray = ids.find((id) => spoken.every((each) => each.id !== id));
  if (stray === undefined && ids.length > 0) return spoken.filter(({ id }) => ids.includes(id));
  const given = spoken.map(({ id }) => id).join(", ");
  throw invalid(
    stray === undefined
      ? `no revision is left to speak. Name at least one of ${given}.`
      : `revision ${JSON.stringify(stray)} is not among those given: ${given}. Name one of them.`,
  );
}

function invalid(message: string): McpError {
  return new McpError("invalid-definition", message);
}
