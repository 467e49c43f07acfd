import { CodedError } from "../diagnostics/coded-error.js";

/** Scripts for the shells that the parser has none for. Each asks mcpgen itself what may come next. */
const scripts: ReadonlyMap<string, string> = new Map([
  [
    "fish",
    `# mcpgen completion fish > ~/.config/fish/completions/mcpgen.fish
function __mcpgen_complete
    set -l words (commandline -opc) (commandline -ct)
    mcpgen --get-yargs-completions $words[2..-1]
end
complete -c mcpgen -a '(__mcpgen_complete)'
`,
  ],
  [
    "powershell",
    `# mcpgen completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName mcpgen -ScriptBlock {
    param($word, $line)
    $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($word -eq '') { $words += '' }
    mcpgen --get-yargs-completions @words |
        Where-Object { $_ -like "$word*" } |
        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
  ],
]);

/**
 * The script that the words `completion SHELL` ask for; undefined for other words, and for shells that the
 * parser knows.
 *
 * @throws CodedError MG2004 for an unknown shell
 */
export function completionScript(words: readonly string[]): string | undefined {
  const [command, shell] = words;
  if (command !== "completion" || shell === undefined || shell.startsWith("-")) return undefined;
  const script = scripts.get(shell);
  if (script !== undefined) return script;
  throw new CodedError(
    "MG2004",
    `expected one of ${[...scripts.keys()].join(", ")}, got ${JSON.stringify(shell)}`,
    {
      next: "For bash and zsh leave it out: `mcpgen completion` goes by $SHELL.",
    },
  );
}
