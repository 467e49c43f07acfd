import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { jsonIn } from "../../../generator/files/json-file.js";
import type { ModelCall } from "../../../generator/host/model/fake-model.js";
import { cases } from "../cases.mjs";
import { type Installed, type Served, pathOf, serve } from "./run.js";
import { type Trace, readTrace, traced } from "./trace.js";

// Reports of `mcpgen host test`, as a user gets them: the built command line, with a home and a working folder.

/** The built command line. */
export const cli = "dist/generator/cli.js";

/** Milliseconds after which the command and all that it started are ended. */
const timeout = 300_000;

/** The value of a variable of the user. */
const secret = "a-secret-of-the-user";

type Start = <T>(work: () => Promise<T>) => Promise<T>;

/** What the command and the host do to the machine, over stdio and HTTP. */
export async function touchedBy(host: Installed, script: readonly ModelCall[], start: Start): Promise<Trace> {
  const traces = await onBoth(async (served) => [
    (await start(() => reportOf(host, served, script, { isTraced: true }))).trace!,
  ]);
  const all = (member: keyof Trace): string[] =>
    [...new Set(traces.flatMap((each) => each[member]))].toSorted();
  const [files, addresses] = [all("files"), all("addresses")];
  return { files, addresses, processes: all("processes"), variables: all("variables") };
}

/**
 * The members, as paths, that differ between reports of the same host and server, with faults and without times, at most
 * 20: of 4 runs over stdio and HTTP each, or of as many as MCPGEN_SHARE asks for.
 */
export async function differencesOfReports(
  host: Installed,
  script: readonly ModelCall[],
  start: Start,
): Promise<readonly string[]> {
  const found = await onBoth(async (served) => {
    const runs = Array.from({ length: cases(20, 4) }, () =>
      start(() => reportOf(host, served, script, { faults: true })),
    );
    const [first, ...others] = (await Promise.all(runs)).map(({ report }) => report);
    const transport = "url" in served.server ? "http" : "stdio";
    return others.flatMap((each) => differences(first, each, transport));
  });
  return [...new Set(found)].toSorted().slice(0, 20);
}

async function onBoth<T>(work: (served: Served) => Promise<readonly T[]>): Promise<readonly T[]> {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-probe-"));
  const given = { folder, see: () => {} };
  const all = [serve(given), serve({ ...given, http: { sessions: "kept" } })].map(async (serving) => {
    const served = await serving;
    return work(served).finally(() => served.end());
  });
  try {
    return (await Promise.all(all)).flat();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface ReportOptions {
  readonly isTraced?: boolean;
  readonly faults?: boolean;
}

interface Report {
  readonly report: unknown;
  readonly trace?: Trace;
}

/** Runs the command once. @throws Error if it reports nothing */
async function reportOf(
  host: Installed,
  { server }: Served,
  script: readonly ModelCall[],
  { isTraced = false, faults = false }: ReportOptions,
): Promise<Report> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcpgen-report-")));
  const [home, project, temporary] = ["home", "project", "temporary"].map((name) => join(folder, name));
  try {
    for (const each of [home, project, temporary]) mkdirSync(each!);
    writeFileSync(join(home!, "notes"), "of the user");
    writeFileSync(join(project!, "script.json"), JSON.stringify(script));
    // Who may do everything is not stopped by it; the trace shows that nothing was tried.
    for (const each of [home, project]) chmodSync(each!, 0o555);
    const source = "url" in server ? server.url : `stdio:"${[server.command, ...server.args].join('" "')}"`;
    const options = ["--script", "script.json", "--no-times", "--format", "json"];
    const more = faults ? ["--faults", "--slow", "1"] : [];
    const test = ["host", "test", source, "--host", host.name, ...options, ...more];
    const command = [process.execPath, resolve(cli), ...test];
    const file = join(folder, "trace");
    const [program, ...args] = isTraced ? traced(file, command) : command;
    const { printed, complained } = await output(program!, args, {
      cwd: project!,
      env: {
        PATH: [dirname(host.file), pathOf(host)].join(delimiter),
        HOME: home!,
        TMPDIR: temporary!,
        SECRET_OF_THE_USER: secret,
      },
    });
    const report = reportIn(printed);
    if (report === undefined)
      throw new Error(`${host.name}: no report: ${(printed + complained).slice(-500)}`);
    if (!isTraced) return { report };
    const trace = readTrace(file, { directory: project!, allowed: [temporary!], secret });
    const known = trace.files.map((each) => each.replaceAll(folder, "~"));
    return { report, trace: { ...trace, files: [...known, ...leftIn(temporary!)] } };
  } finally {
    for (const each of [home, project]) chmodSync(each!, 0o755);
    rmSync(folder, { recursive: true, force: true });
  }
}

function leftIn(folder: string): string[] {
  return readdirSync(folder).map((name) => `left in the folder for temporary files: ${name}`);
}

/** The report, if the document has one of a host. */
function reportIn(text: string): unknown {
  const document = jsonIn(text) as { readonly hosts?: readonly unknown[] } | undefined;
  return document?.hosts?.length === 1 ? document : undefined;
}

/** Runs a program to its end, or ends it and what it started when its time is over. */
function output(
  program: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<{ readonly printed: string; readonly complained: string }> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...place, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const said = { printed: "", complained: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.printed += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.complained += text));
    const timer = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), timeout);
    child.once("error", (error) => (clearTimeout(timer), fail(error)));
    child.once("close", () => (clearTimeout(timer), done(said)));
  });
}

/** The members at which two JSON values differ. */
function differences(one: unknown, other: unknown, path: string): string[] {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other ? [] : [`${path}: ${shown(one)}, and ${shown(other)}`];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  const member = (value: object, key: string): unknown => (value as Record<string, unknown>)[key];
  return [...keys].flatMap((key) => differences(member(one, key), member(other, key), `${path}/${key}`));
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}
