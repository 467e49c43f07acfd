// The step "Check" of action.yml: `mcpgen check` with annotations. The step "Result" fails the job, so that a
// failed check does not prevent the comparison.
import { escapeProperty, mapAnnotations, mcpgen, repositoryPrefix, setOutputs } from "./shared.mjs";

const { code, output } = mcpgen(["check", "--format=github"]);
const prefix = escapeProperty(repositoryPrefix());
process.stdout.write(mapAnnotations(output, (file) => ({ file: `${prefix}${file}`, hasLine: true })));
setOutputs({ code: String(code) });
