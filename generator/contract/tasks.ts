import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import type { Contract, ContractTool } from "./contract.js";

// The member `task` of a tool is for its server. The server's list shows `execution.taskSupport` instead
// (2025-11-25, tasks).

/** Id of the tasks extension of 2026-07-28. `@mcpgen/tasks` implements it for both roles. */
export const tasksExtensionId = "io.modelcontextprotocol/tasks";

/** A tool in a server's list. */
type ListedTool = ContractTool & { readonly execution?: JsonObject };

/**
 * The contract without `task`, as its server lists it.
 *
 * @param hasExecution whether tools of the list's revision have `execution`
 */
export function asListed(contract: Contract, hasExecution: boolean): Contract {
  return mapped(contract, ({ task, ...tool }) => {
    const { support = "forbidden" } = task ?? {};
    if (!hasExecution || support === "forbidden") return tool;
    return { ...tool, execution: { ...tool.execution, taskSupport: support } } as ListedTool;
  });
}

/** Whether a list states for any tool whether it may be called as a task. */
export function listsExecution({ tools = [] }: Contract): boolean {
  return tools.some((tool: ListedTool) => tool.execution !== undefined);
}

/** Whether the server of a contract needs an extension for tasks. */
export function needsTasks({ tools = [] }: Contract): boolean {
  return tools.some(({ task }) => task !== undefined);
}

/**
 * Whether a client's calls may become tasks. Tools state it by `task` or `execution` (2025-11-25), or the
 * server declares it. In 2026-07-28 lists do not state it, and the server decides.
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

/**
 * The contract with the `task` members that `from` has for tools of the same names. The support stated in the
 * list is newer and takes precedence.
 */
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

/** A documentation line about a tool's `task`. */
export function taskLine({ task }: { readonly task?: ContractTool["task"] }): string | undefined {
  if (!task || task.support === "forbidden") return undefined;
  return task.support === "required" ? "Calls run as tasks." : "Calls that take long become tasks.";
}

function mapped(contract: Contract, change: (tool: ListedTool) => ContractTool): Contract {
  return contract.tools ? { ...contract, tools: contract.tools.map(change) } : contract;
}
