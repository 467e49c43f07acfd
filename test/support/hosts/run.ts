import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { clientRevisions } from "@mcpgen/protocol";
import { connect, memoryChannels } from "@mcpgen/runtime";
import type { ContractTool } from "../../../generator/contract/contract.js";
import { type HostTest, testHost } from "../../../generator/host/host-test.js";
import type { ModelCall } from "../../../generator/host/model/fake-model.js";
import type { HostName } from "../../../generator/lint/host-rows.js";
import { type HostServer, hostPrograms } from "../../../generator/host/program.js";
import { type Case, picture, sound } from "../host-cases.js";
import { overhear } from "../overheard.js";
import { type EndpointOptions, endpoint } from "./endpoint.js";
import { type Seen, probe } from "./probe.js";
import { readTrace, traced } from "./trace.js";

/** An installed host. */
export interface Installed {
  readonly name: HostName;
  readonly file: string;
  /** Folder of a Node.js that is new enough; absent if the one that runs this is. */
  readonly node?: string;
}

export interface RunOptions {
  readonly script: readonly ModelCall[];
  /** Without it over stdio. */
  readonly http?: Pick<EndpointOptions, "sessions" | "authorization">;
  readonly cases?: readonly Case[];
  readonly speaks?: readonly string[];
  /** Milliseconds until the program over stdio answers. The host is configured as users do: it waits as long as it does by default. */
  readonly startsIn?: number;
  /** Called when the program over stdio has started. */
  readonly onStarted?: () => void;
  /** Called when a call begins. */
  readonly onSeen?: (seen: Seen) => void;
  /** Whether the host and its processes are interrupted, as by a terminal, once the quiet tool runs. */
  readonly interrupt?: boolean;
  /** What has an address that only a proxy knows. The host is traced then. */
  readonly away?: "model" | "server";
}

export interface Run extends HostTest {
  readonly cases: readonly Case[];
  /** What the server saw. */
  readonly seen: readonly Seen[];
  /** Milliseconds that the first program over stdio ran. */
  readonly lived?: number;
  /** Paths of requests to the model. */
  readonly paths: readonly string[];
  /** What reached the model of the picture, the sound, and the descriptions of the cases. */
  readonly heard: ReadonlySet<string>;
  /** Addresses of other machines that it asked past its proxy; absent if it was not traced. */
  readonly direct?: readonly string[];
}

/** The file of the probe as a program over stdio. */
const stdioProbe = join("node_modules/.cache/mcpgen-scripts", "host-probe.mjs");

/** Writes the probe as a program, without which no host runs over stdio. */
export async function buildProbe(): Promise<void> {
  await build({
    entryPoints: ["test/host/real/stdio.ts"],
    outfile: stdioProbe,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    conditions: ["mcpgen-source"],
    logLevel: "error",
  });
}

/** The line of a configuration by which a host waits longer for a server than by default. */
const ownPatience = /^startup_timeout_sec = .*$/m;

/** Milliseconds after which a host is ended, and a server that outlives its host is given up. */
const timeout = 600_000;
const outliving = 10_000;

/** Milliseconds for a host that may not reach its model, and tries for minutes. */
const awayTimeout = 60_000;

/** Lets a host play a script with the probe. */
export async function run(host: Installed, options: RunOptions): Promise<Run> {
  const { script, cases = [], startsIn, onSeen, interrupt, away } = options;
  const seen: Seen[] = [];
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-probe-"));
  const [pidFile, traceFile] = [join(folder, "pid"), join(folder, "trace")];
  let tellEnd: (() => void) | undefined;
  const toolEnd = interrupt && new Promise<void>((resolve) => (tellEnd = resolve));
  const see = (each: Seen): void => {
    seen.push(each);
    onSeen?.(each);
    if (!interrupt) return;
    if (each.tool === "quiet") process.kill(-Number(readFileSync(pidFile, "utf8")), "SIGINT");
    if (each.tool === "quiet ended") tellEnd?.();
  };
  const texts = [picture, sound, ...cases.map(({ tool }) => tool.description)];
  const [paths, heard] = [new Set<string>(), new Set<string>()];
  const hear = (path: string, body: Buffer): void => {
    paths.add(path);
    for (const text of texts) if (!heard.has(text) && body.includes(text)) heard.add(text);
  };
  const [overheard, served, listed] = await Promise.all([
    overhear(hear),
    serve({ ...options, folder, see }),
    listedBy(cases),
  ]);
  const program = hostPrograms[host.name];
  const started: typeof program = {
    ...program,
    start(name, server, model) {
      overheard.model = model;
      const seenServer = away === "server" ? overheard.away(server) : server;
      const start = program.start(name, seenServer, away === "model" ? overheard.modelAway : overheard.url);
      const command = [host.file, ...start.args];
      // The shell becomes the host, whose process id is then known.
      const args = [
        "-c",
        'echo $$ >"$0"; exec "$@"',
        pidFile,
        ...(away ? traced(traceFile, command) : command),
      ];
      const env = { ...start.env, ...(away && overheard.variables), PATH: pathOf(host) };
      const files = Object.entries(start.files).map(([path, text]) => [
        path,
        startsIn ? text.replace(ownPatience, "") : text,
      ]);
      return { files: Object.fromEntries(files) as typeof start.files, args, env };
    },
  };
  try {
    const given = { program: started, file: "/bin/sh", server: served.server, listed, script };
    const test = await testHost({ ...given, timeout: away ? awayTimeout : timeout });
    // The server learns of it, or the tool goes on to its end.
    if (seen.some(({ tool }) => tool === "quiet")) await toolEnd;
    await served.end();
    // A row of a host that was too slow would not be so.
    if (test.exitCode === undefined && !interrupt && !away)
      throw new Error(
        `${host.name} did not end in ${timeout / 1000} s; it printed: ${test.output.slice(-300)}`,
      );
    const direct = away && readTrace(traceFile, { directory: folder, allowed: ["/"] }).addresses;
    const lived = served.lived?.();
    const facts = { cases, seen, paths: [...paths], heard, ...(lived !== undefined && { lived }) };
    return { ...test, ...facts, outside: overheard.asked(test.outside), ...(direct && { direct }) };
  } finally {
    await overheard.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Folders with programs: of the host's Node.js, and of this process. */
export function pathOf({ node }: Installed): string {
  return [node, process.env["PATH"]].filter((each) => each !== undefined).join(delimiter);
}

export interface Served {
  readonly server: HostServer;
  /** Milliseconds that the first program over stdio ran. */
  lived?(): number | undefined;
  end(): Promise<void>;
}

/** Serves the probe. @param folder for files of it */
export function serve({
  folder,
  startsIn = 0,
  onStarted,
  http,
  cases = [],
  speaks = [],
  see,
}: Pick<RunOptions, "http" | "cases" | "speaks" | "startsIn" | "onStarted"> & {
  readonly folder: string;
  readonly see: (seen: Seen) => void;
}): Promise<Served> {
  return http
    ? overHttp({ ...http, cases, see, ...(speaks.length > 0 && { speaks }) })
    : overStdio([JSON.stringify(cases), speaks.join(","), String(startsIn)], folder, see, onStarted);
}

async function overHttp(options: EndpointOptions): Promise<Served> {
  const { url, close } = await endpoint(options);
  const { authorization } = options;
  return { server: { url, headers: authorization === undefined ? {} : { authorization } }, end: close };
}

async function overStdio(
  [cases, ...options]: readonly [string, ...string[]],
  folder: string,
  see: (seen: Seen) => void,
  onStarted: (() => void) | undefined,
): Promise<Served> {
  // The program reports over a connection: its pipes belong to the host.
  const sockets = new Set<Socket>();
  let lived: number | undefined;
  const hearing = createServer((socket) => {
    sockets.add(socket);
    onStarted?.();
    const begun = performance.now();
    socket.once("close", () => (lived ??= performance.now() - begun));
    createInterface({ input: socket }).on("line", (line) => see(JSON.parse(line) as Seen));
    socket.on("error", () => {});
  });
  const port = await new Promise<number>((resolve) =>
    hearing.listen(0, "127.0.0.1", () => resolve((hearing.address() as AddressInfo).port)),
  );
  const file = join(folder, "cases.json");
  writeFileSync(file, cases);
  const args = [join(process.cwd(), stdioProbe), String(port), file, ...options];
  return {
    server: { command: process.execPath, args, env: {} },
    lived: () => lived,
    // When the program has ended, its report is complete.
    end() {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, outliving);
      return new Promise((resolve) => hearing.close(() => (clearTimeout(timer), resolve())));
    },
  };
}

/** The tools as the probe lists them. */
async function listedBy(cases: readonly Case[]): Promise<readonly ContractTool[]> {
  const [near, far] = memoryChannels();
  probe({ see: () => {} }).connect(far);
  const client = await connect(near, { revisions: clientRevisions });
  const { items } = await client.listTools();
  await client.close();
  const own = items as unknown as ContractTool[];
  const given = cases.map(({ tool }) => tool as ContractTool);
  return [...own.filter(({ name }) => given.every((tool) => tool.name !== name)), ...given];
}
