import type { CodeFirstServer } from "@mcpgen/runtime";
import { pause } from "./samples.js";

/** Tools that say something before they answer, or change what the server offers. */
export function addStreams(server: CodeFirstServer): void {
  server.tool(
    "test_tool_with_progress",
    { description: "Reports progress three times." },
    async (_args, { progress, signal }) => {
      for (const done of [0, 50, 100]) {
        progress(done, 100, `${done} of 100`);
        await pause(50, signal);
      }
      return "done";
    },
  );

  server.tool(
    "test_tool_with_logging",
    { description: "Logs three messages." },
    async (_args, { log, signal }) => {
      for (const text of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        log("info", text);
        await pause(50, signal);
      }
      return "logged";
    },
  );

  server.tool(
    "test_logging_tool",
    { description: "Logs, for clients that requested log messages." },
    (_args, { log }) => {
      log("info", "a message for clients that requested log messages");
      return "logged";
    },
  );

  server.tool(
    "test_reconnection",
    { description: "Lets go of the connection before it answers." },
    async (_args, context) => {
      context.disconnect(500);
      await pause(100, context.signal);
      return "the client came back for this answer";
    },
  );

  let changes = 0;
  server.tool("test_trigger_tool_change", { description: "Changes the list of tools." }, () => {
    const registration = server.tool(
      `test_added_${++changes}`,
      { description: "Comes and goes." },
      () => "here",
    );
    registration.remove();
    return "changed";
  });
  server.tool("test_trigger_prompt_change", { description: "Changes the list of prompts." }, () => {
    const registration = server.prompt(
      `test_added_${++changes}`,
      { description: "Comes and goes." },
      () => "here",
    );
    registration.remove();
    return "changed";
  });
}
