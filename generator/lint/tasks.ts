import { isJsonObject, pointer } from "@mcpgen/engine";
import { type LintRule, everyProfile } from "./rule.js";

/** Rules about tools whose calls run as tasks. */
export const taskRules: readonly LintRule[] = [
  {
    id: "task-required",
    profiles: everyProfile,
    level: "warning",
    reason: "Most hosts have no tasks, and cannot call a tool that requires them.",
    fix: "Declare `optional`: hosts without tasks then wait for the result, and get its progress.",
    sources: [
      "https://github.com/github/copilot-cli/issues/2538",
      "https://github.com/anthropics/claude-code/issues/76571",
    ],
    find: ({ tool, pointer: at }) => {
      if (tool.task?.support === "required")
        return [{ pointer: pointer(at, "task", "support"), message: "requires tasks" }];
      const { execution } = tool as { readonly execution?: unknown };
      const isRequired =
        isJsonObject(execution as never) &&
        (execution as { taskSupport?: unknown }).taskSupport === "required";
      return isRequired
        ? [{ pointer: pointer(at, "execution", "taskSupport"), message: "requires tasks" }]
        : [];
    },
  },
];
