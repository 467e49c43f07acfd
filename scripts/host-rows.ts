import data from "../generator/host/hosts.json" with { type: "json" };

/** What was seen of a host; a member that is absent was not looked at. */
interface HostRow {
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly date: string;
  readonly node: number;
  readonly models: readonly string[];
  readonly rules: { readonly [rule: string]: string };
  /** The name of a tool as the model gets it, of SERVER and TOOL. */
  readonly name?: string;
  readonly revision?: { readonly stdio?: string; readonly http?: string; readonly legacy?: string };
  /** Rules of `diff` between the schema of a tool with most keywords and what the model gets of it. */
  readonly schema?: readonly string[];
  readonly result?: {
    readonly structured?: string;
    readonly image?: string;
    readonly audio?: string;
    readonly link?: string;
    readonly embedded?: string;
    readonly protocolError?: string;
    readonly text?: { readonly whole?: number; readonly cut?: number };
  };
  readonly questions?: string;
  readonly progress?: boolean;
  /** Milliseconds by transport. */
  readonly quiet?: { readonly [transport: string]: { readonly worked?: number; readonly limit?: number } };
  /** The call after a restart that works again, by how the server keeps its sessions. */
  readonly restart?: { readonly kept?: string; readonly sealed?: string; readonly stateless?: string };
  readonly bearer?: boolean;
  readonly proxy?: boolean;
}

type Named = HostRow & { readonly id: string };

const rows = Object.entries(data as { readonly [id: string]: HostRow }).map(([id, row]) => ({ id, ...row }));

/** The text of docs/hosts.md. */
export function hostsPage(hosts: readonly Named[] = rows): string {
  return `${[
    introduction(hosts),
    "## Settings for all hosts",
    settings(hosts).join("\n"),
    "## All hosts",
    overview(hosts),
    ...hosts.map((host) => section(host)),
  ].join("\n\n")}\n`;
}

function introduction(hosts: readonly Named[]): string {
  const dates = [...new Set(hosts.map(({ date }) => date))].sort();
  return `# Hosts

How ${hosts.length} hosts pass the tools and results of a server on to their models. Each was run with a scripted model and a server whose tools
show it (${dates.join(", ")}; \`npm run hosts\` repeats it). [\`host test\`](command-line-servers.md#hosts) shows it for your server, and
[\`lint --host NAME\`](lint.md) without running a host. \`npx add-mcp\` [adds a server](guides/first-server.md#add-it-to-a-host) to hosts.`;
}

function settings(hosts: readonly Named[]): string[] {
  const of = (is: (host: Named) => boolean | undefined): string => titles(hosts.filter(is));
  const forgetful = of(({ restart }) => restart?.kept === "never");
  const limits = hosts.flatMap((host) =>
    limitsOf(host).map(([transport, limit]) => `${host.title} over ${transport} after ${limit / 1000} s`),
  );
  const traced = of(({ result }) => /\n/.test(result?.protocolError ?? ""));
  const changed = [...new Set(hosts.flatMap(({ schema = [] }) => schema))].sort();
  const shortest = Math.min(
    ...hosts.map(({ name = "TOOL" }) => 64 - name.replace(/SERVER|TOOL/g, "").length),
  );
  return [
    ...(forgetful === ""
      ? []
      : [
          `- **Sessions over HTTP**: [\`sealedSessions\`](http-sessions.md#sessions-without-a-store) with keys from the environment, or \`sessions: false\`. ${forgetful} never shakes hands again when a server that keeps sessions in memory has restarted.`,
        ]),
    `- **Slow tools**: call \`context.progress\` at least every 30 s.${limits.length > 0 ? ` Without it, a call ends in ${list(limits)}.` : ""}`,
    ...(traced === ""
      ? []
      : [
          `- **\`wrongArguments: "result"\`**: a JSON-RPC error, the default up to 2025-06-18, reaches the model of ${traced} as a trace of several lines; a result with \`isError\` as your text.`,
        ]),
    `- **Names**: letters, digits and \`_\`. The name of the server and that of a tool are together at most ${shortest} characters.`,
    `- **Schemas**: an object with described properties. Say bounds, formats and defaults in descriptions, too.${changed.length > 0 ? ` Some hosts change them: ${rules(changed)}.` : ""}`,
    "- **Results**: have the whole answer in a text, below 10,000 characters; structured content beside it, not instead.",
  ];
}

const marks = (value: boolean | undefined): string => (value === undefined ? "" : value ? "yes" : "no");

function overview(hosts: readonly Named[]): string {
  const heads = [
    "host",
    "revision",
    "tool",
    "structured",
    "whole text",
    "questions",
    "progress",
    "quiet for",
    "after a restart",
  ];
  const lines = hosts.map((host) => [
    `[${host.title}](#${idOf(host)})`,
    [...new Set(Object.values(host.revision ?? {}))].join(", "),
    host.name === undefined ? "" : `\`${host.name}\``,
    host.result?.structured ?? "",
    host.result?.text?.whole?.toLocaleString("en") ?? "",
    host.questions ?? "",
    marks(host.progress),
    quietText(host),
    restartText(host),
  ]);
  return [heads, heads.map(() => "-"), ...lines].map((cells) => `|${cells.join("|")}|`).join("\n");
}

function section(host: Named): string {
  const { id, title, version, date, node, models, rules: broken, schema, result = {} } = host;
  const kinds = (["image", "audio", "link", "embedded"] as const).filter(
    (kind) => result[kind] !== undefined,
  );
  const by = (wanted: string): string => kinds.filter((kind) => result[kind] === wanted).join(", ");
  const effects = [...new Set(Object.values(broken))];
  const error = result.protocolError;
  const facts = [
    `\`${id}\`: \`${host.package}\` ${version}, Node.js ${node}, ${date}. Usual models: ${models.map((model) => `\`${model}\``).join(", ")}.`,
    ...effects.map(
      (effect) => `${effect}: ${rules(Object.keys(broken).filter((rule) => broken[rule] === effect))}`,
    ),
    ...(schema === undefined
      ? []
      : [schema.length === 0 ? "Schemas reach the model unchanged." : `Schemas: ${rules(schema)}`]),
    ...(kinds.length === 0
      ? []
      : [
          (["passed", "replaced", "dropped"] as const)
            .flatMap((wanted) => (by(wanted) === "" ? [] : [`${wanted}: ${by(wanted)}`]))
            .join("; "),
        ]),
    ...(error === undefined ? [] : [`A protocol error reaches the model as ${shown(error)}.`]),
    ...settingsOf(host),
  ];
  return [`### ${title}`, facts.map((fact) => `- ${fact}`).join("\n")].join("\n\n");
}

function settingsOf(host: Named): string[] {
  const { restart = {}, bearer, proxy } = host;
  const limits = limitsOf(host);
  return [
    ...(restart.kept === "never" ? ["Setting: sealed sessions or none."] : []),
    ...(limits.length > 0 ? ["Setting: progress of slow tools."] : []),
    ...(bearer === false ? ["It sends no token that its configuration has."] : []),
    ...(proxy === false ? ["It does not use the proxy of the environment."] : []),
  ];
}

function limitsOf({ quiet = {} }: Named): [transport: string, milliseconds: number][] {
  return Object.entries(quiet).flatMap(([transport, { limit }]) =>
    limit === undefined ? [] : [[transport, limit]],
  );
}

function quietText({ quiet = {} }: Named): string {
  const texts = Object.entries(quiet).map(([transport, { worked, limit }]) => {
    if (worked !== undefined) return [transport, `${worked / 1000} s`] as const;
    return [transport, limit === undefined ? "?" : `${limit / 1000} s at most`] as const;
  });
  const all = new Set(texts.map(([, text]) => text));
  return all.size === 1 ? [...all][0]! : texts.map((each) => each.join(" ")).join(", ");
}

function restartText({ restart = {} }: Named): string {
  const texts = Object.entries(restart).map(([way, call]) => `${way} ${call}`);
  return new Set(Object.values(restart)).size === 1 ? `${Object.values(restart)[0]!} call` : texts.join(", ");
}

function rules(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(", ");
}

function titles(hosts: readonly Named[]): string {
  return list(hosts.map(({ title }) => title));
}

function list(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)!}`;
}

function idOf({ title }: Named): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

/** A text of a host in one line of code. */
function shown(text: string): string {
  const line = text
    .replace(/\s*\n\s*/g, " ⏎ ")
    .replaceAll("`", "'")
    .replaceAll("|", "\\|");
  return `\`${line.length > 100 ? `${line.slice(0, 100)}…` : line}\``;
}
