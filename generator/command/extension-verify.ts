import { CodedError } from "../diagnostics/coded-error.js";
import type { Finding } from "../diagnostics/finding.js";
import { verifyExtensionFile } from "../extension/add/verify-upstream.js";
import {
  expectExtension,
  extensionKey,
  storedExtensions,
  verifyExtensions,
} from "../extension/extension-store.js";
import { counted } from "../print/counted.js";
import { readUpstream } from "../revision/source.js";
import type { RunCommand } from "./context.js";
import type { Outcome } from "./outcome.js";
import { openProject } from "./project.js";

export const extensionVerify: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const name = args.string("extension");
  const source = args.string("source");
  if (name === undefined) return wholeStore(schemaDir);
  const stored = expectExtension(schemaDir, name);
  const key = extensionKey(stored);
  if (source === undefined) {
    throw new CodedError("MG2003", `expected a file or URL to compare ${key} with`, {
      next: `Name it: \`mcpgen extension verify ${key} FILE\`.`,
    });
  }
  const verdict = await verifyExtensionFile(schemaDir, stored, await readUpstream(source, context));
  const { relation, locked, added, removed } = verdict;
  const data = { id: stored.id, version: stored.version, relation, locked, added, removed };
  if (relation === "same-file") return { text: `${key}: same file`, data };
  const changes = `${counted(added.length, "definition")} added, ${removed.length} removed`;
  const finding: Finding = {
    code: "MG3108",
    severity: "error",
    place: { file: source },
    message:
      relation === "same-meaning"
        ? `the file is not the one that was added, but its canonical form equals that of ${key}`
        : `the file is not the one that was added: its canonical form differs from that of ${key} (${changes})`,
    next: `To store it: \`mcpgen extension add FILE --id ${stored.id} --version ${stored.version} --replace\`, or under another version.`,
  };
  return { findings: [finding], data };
};

async function wholeStore(schemaDir: string): Promise<Outcome> {
  const findings = await verifyExtensions(schemaDir);
  const extensions = storedExtensions(schemaDir).map(extensionKey);
  if (findings.length > 0) return { findings, data: { extensions } };
  const count = counted(extensions.length, "extension");
  return { summary: `${count}: canonical and equal to the lock`, data: { extensions } };
}
