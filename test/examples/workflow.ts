import { readFileSync } from "node:fs";
import { parse } from "yaml";

export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly steps: readonly Step[];
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: Readonly<Record<string, string>>;
}

export interface Workflow {
  readonly on: string | Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

export function readWorkflow(file: string): Workflow {
  return parse(readFileSync(file, "utf8")) as Workflow;
}

/** The outputs of the steps so far, by the id of the step. */
export type Outputs = Map<string, ReadonlyMap<string, string>>;

/** Whether a step runs. The conditions of the examples have only one form. */
export function runs({ if: condition }: Step, outputs: Outputs): boolean {
  if (condition === undefined) return true;
  const [, id, name, value] = /^steps\.(\w+)\.outputs\.(\w+) == '([^']*)'$/.exec(condition) ?? [];
  if (id === undefined || !outputs.has(id)) throw new Error(`a condition of another form: ${condition}`);
  return outputs.get(id)!.get(name!) === value;
}

/** `name=value`, one to a line, as steps write to GITHUB_OUTPUT. */
export function readOutputs(text: string): Map<string, string> {
  return new Map(
    text
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
