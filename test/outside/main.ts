// Follows README, docs/ and the READMEs of packages like a reader, outside of the repository, with npm and npx, and the
// packages of the last build: each command, with a server of this machine where it names one, each page of docs/guides from its first
// step to its last after the installation of the README, and the programs of the READMEs. Commands that install the
// packages by name take them from a registry on this machine. A command succeeds if it exits with 0; commands of mcpgen
// may also exit with 1, which means findings.
//
//   npm run test:outside                    # everything
//   npm run test:outside -- client.md lint  # only tasks with one of these texts in their names
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hang } from "../support/until.mjs";
import { Reader } from "../support/walkthrough.js";
import { type Command, commandsOf } from "./commands.js";
import { type AtEnd, type Installation, configured, environmentIn, installedIn } from "./installation.js";
import { guidesIn, walk } from "./guides.js";
import { programs, runProgram } from "./programs.js";
import { type Projects, projectsIn } from "./projects.js";
import { registryOf } from "./registry.js";
import { compareEntries, compileCode, followLinks, readmeOf } from "./readmes.js";

/** Something that the reader of a document does. */
interface Task {
  readonly name: string;
  /** Why it is not done here. */
  readonly why?: string | undefined;
  readonly run: (atEnd: AtEnd) => Promise<void>;
}

const wanted = process.argv.slice(2);
const root = realpathSync(mkdtempSync(join(tmpdir(), "mcpgen-outside-")));
let problems = 0;
const programsToEnd: { kill(): void }[] = [];
try {
  const installation = installedIn(root);
  const projects = projectsIn(installation, environmentIn(join(root, "home")));
  const remote = spawn(process.execPath, ["remote.js"], {
    cwd: projects.project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  programsToEnd.push(remote);
  const [line] = (await once(remote.stdout, "data")) as [Buffer];
  const tasks = tasksOf(installation, projects, line.toString().trim()).filter(
    ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
  );
  for (const { name, why } of tasks) if (why !== undefined) console.log(`left out ${name}: ${why}`);
  const run = tasks.filter(({ why }) => why === undefined);
  const next = run.values();
  // Two at a time; iterators of one list share it.
  await Promise.all(
    [1, 2].map(async () => {
      for (const task of next) await judge(task);
    }),
  );
  console.log(`${run.length} done, ${tasks.length - run.length} left out, ${problems} problems`);
  if (run.length === 0) problems++;
} finally {
  for (const program of programsToEnd) program.kill();
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = problems > 0 ? 1 : 0;

/** All of them; the longest first. */
function tasksOf(installation: Installation, projects: Projects, server: string): readonly Task[] {
  const docs = join(installation.modules, "mcpgen/docs");
  const { commands, unused } = commandsOf(documentsOf(installation, docs), installation.tarballs, server);
  if (unused.length > 0) problem("no command is left out for these reasons", unused.join("\n"));
  if (commands.filter(({ why }) => why === undefined).length < 30) problem("too few commands were found", "");
  return [
    ...guidesIn(join(docs, "guides")).map((guide) => ({
      name: `guides/${guide.name}`,
      why: guide.missing,
      run: (atEnd: AtEnd) => walk(guide, join(docs, "guides"), installation, atEnd),
    })),
    ...programs.map((program, index) => ({
      name: `${program.of}: ${Object.keys(program.files).join(", ")}`,
      run: (atEnd: AtEnd) => runProgram(program, `program-${index}`, installation, atEnd),
    })),
    { name: "code of READMEs", run: (atEnd) => compileCode(installation, atEnd) },
    { name: "entries in READMEs", run: async () => compareEntries(installation) },
    { name: "links in packages", run: async () => followLinks(installation) },
    ...commands.map((command, index) => ({
      name: `${command.document}: ${command.script.replaceAll("\n", "; ")}`,
      why: command.why,
      run: (atEnd: AtEnd) => type(command, folderFor(command, projects, index), installation, atEnd),
    })),
  ];
}

/** Documents that show single commands: README, docs/ without guides, and READMEs of packages; with their texts. */
function documentsOf(installation: Installation, docs: string): readonly (readonly [string, string])[] {
  const pages = ["", "tasks"].flatMap((folder) =>
    readdirSync(join(docs, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  );
  return [
    ...Object.keys(installation.own).map(
      (name) => [`README.md of ${name}`, readmeOf(installation, name)] as const,
    ),
    ...pages.map((page) => [`docs/${page}`, readFileSync(join(docs, page), "utf8")] as const),
  ];
}

/** A copy of the folder that a command needs. */
function folderFor({ script, isFirst }: Command, { project, bare }: Projects, index: number): string {
  const folder = join(root, `command-${index}`);
  const isBare = /\bmcpgen (?:init|capture) |\.tgz\b/.test(script);
  if (isFirst) mkdirSync(folder);
  else cpSync(isBare ? bare : project, folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}

/** Types a command. @throws {Error} it ends with another code than it should */
async function type(
  { script, isFirst }: Command,
  folder: string,
  { tarballs }: Installation,
  atEnd: AtEnd,
): Promise<void> {
  const env = environmentIn(`${folder}-home`);
  if (isFirst) {
    const registry = await registryOf(tarballs, configured("registry"));
    atEnd(() => registry.close());
    // It answers only now: nothing of it stays in a cache. The reader says yes to `npm create`.
    const [cache, yes] = [`${folder}-cache`, "true"];
    Object.assign(env, { npm_config_registry: registry.url, npm_config_cache: cache, npm_config_yes: yes });
  }
  const { exit, output } = await new Reader(folder, env, atEnd).run(script);
  const mayFind = /^(?:npx )?mcpgen [^\n]*$/.test(script);
  if (exit !== 0 && !(mayFind && exit === 1)) throw new Error(`it ended with ${exit}\n${output}`);
}

/** Runs a task, and prints the outcome. */
async function judge({ name, run }: Task): Promise<void> {
  const ends: (() => void)[] = [];
  const end = (): void => {
    for (const each of ends) each();
  };
  const late = setTimeout(end, 2 * hang);
  try {
    await run((each) => ends.push(each));
    console.log(`ok       ${name}`);
  } catch (error) {
    problem(name, (error as Error).message);
  } finally {
    clearTimeout(late);
    end();
  }
}

function problem(what: string, output: string): void {
  problems++;
  console.log(`PROBLEM  ${what}\n${output}`);
}
