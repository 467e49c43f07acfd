import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import type { Contract, ContractTool } from "./contract.js";

// `task` of a tool is for its server. What a server lists of it is `execution.taskSupport` (2025-11-25, tasks).

/** The extension of tasks at 2026-07-28. `@mcpgen/tasks` implements it in both roles. */
export const tasksExtensionId = "io.modelcontextprotocol/tasks";

/** A tool as a list shows it. */
type ListedTool = ContractTool & { readonly execution?: JsonObject };

/**
 * The contract without `task`: what its server lists.
 *
 * @param hasExecution whether the list is one of a revision whose tools have `execution`
 */
export function asListed(contract: Contract, hasExecution: boolean): Contract {
  return mapped(contract, ({ task, ...tool }) => {
    const { support = "forbidden" } = task ?? {};
    if (!hasExecution || support === "forbidden") return tool;
    return { ...tool, execution: { ...tool.execution, taskSupport: support } } as ListedTool;
  });
}

/** Whether a list says of any tool how it may be called. */
export function listsExecution({ tools = [] }: Contract): boolean {
  return tools.some((tool: ListedTool) => tool.execution !== undefined);
}

/** Whether the server of a contract needs an extension that runs tasks. */
export function needsTasks({ tools = [] }: Contract): boolean {
  return tools.some(({ task }) => task !== undefined);
}

/**
 * Whether calls of a client may become tasks: tools say so, by `task` or by `execution` (2025-11-25), or the server declares it.
 * At 2026-07-28 no list names the tools, and the server decides.
 */
export function mayAnswerWithTasks({ tools = [], capabilities = {} }: Contract): boolean {
  const { extensions } = capabilities;
  return (
    capabilities["tasks"] !== undefined ||
    (isJsonObject(extensions) && extensions[tasksExtensionId] !== undefined) ||
    tools.some(({ task, execution }: ListedTool) =>
      [task?.support, execution?.["taskSupport"]].some(
        (support) => support === "optional" || support === "required",
      ),
    )
  );
}

/** The contract with `task` of the tools of the same names in `from`. What the list says of the support is newer. */
export function withTasksOf(contract: Contract, from: Contract): Contract {
  const isSaid = listsExecution(contract);
  return mapped(contract, (tool) => {
    const task = from.tools?.find(({ name }) => name === tool.name)?.task;
    if (!task) return tool;
    const { execution = {}, ...rest } = tool;
    const { taskSupport = "forbidden", ...others } = execution;
    return {
      ...rest,
      ...(Object.keys(others).length > 0 && { execution: others }),
      task: isSaid ? { ...task, support: taskSupport } : task,
    } as ListedTool;
  });
}

/** `task` of a tool as a line of its documentation. */
export function taskLine({ task }: { readonly task?: ContractTool["task"] }): string | undefined {
  if (!task || task.support === "forbidden") return undefined;
  return task.support === "required" ? "Calls run as tasks." : "Calls that take long become tasks.";
}

function mapped(contract: Contract, change: (tool: ListedTool) => ContractTool): Contract {
  return contract.tools ? { ...contract, tools: contract.tools.map(change) } : contract;
}
