import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import hosts from "../../generator/host/hosts.json" with { type: "json" };
import { isThorough } from "../support/cases.mjs";
import { noChromium } from "../support/browser-page.js";
import { freePorts } from "../support/free-ports.mjs";
import { lackOf } from "../support/programs.mjs";
import { Reader, type Step, stepsOf } from "../support/walkthrough.js";
import { DevelopingReader } from "./developing-reader.js";
import { type AtEnd, type Installation, environmentIn, firstFolder } from "./installation.js";

/** The needs of a page in addition to the packages. */
interface Preparation {
  /** Why it cannot be walked here. */
  readonly missing?: string | undefined;
  /** Creates the files that the reader has before the first step. */
  readonly prepare?: (folder: string, installation: Installation) => void;
  readonly programs?: { readonly [name: string]: string };
  /** Changes the text of the page for this machine. */
  readonly text?: (page: string) => Promise<string>;
  readonly steps?: (steps: readonly Step[]) => readonly Step[];
  readonly reader?: typeof Reader;
}

/** One walk along a page of docs/guides. */
interface Guide extends Preparation {
  readonly name: string;
  readonly page: string;
}

const node24 = resolve("test/portability/node_modules/node-24/bin/node");
const hasSqlite = process.getBuiltinModule("node:sqlite") !== undefined;

/** The hosts of a page, where `npm run hosts` installs them. */
const installed = (["codex", "claude-code"] as const).map((name) => {
  const { program, version } = hosts[name];
  const folder = `node_modules/.cache/mcpgen-hosts/${name}-${version}`;
  return { program, file: resolve(folder, "node_modules/.bin", program) };
});

const preparations: { readonly [page: string]: Preparation } = {
  "ask-the-user.md": {},
  "all-revisions.md": {},
  "check-a-server.md": {},
  "client.md": {},
  // The sentences of the page are done in a browser.
  "develop.md": { missing: noChromium, reader: DevelopingReader },
  "extension.md": {},
  // The line for hosts loads a program from the registry, which asks at a terminal.
  "first-server.md": { text: async (page) => page.replace(/^npx add-mcp .*\n/m, "") },
  "images-and-resources.md": {},
  "http-with-log-in.md": {
    text: async (page) => page.replaceAll("8402", String((await freePorts(1))[0])),
  },
  "migration.md": {},
  "progress-and-cancel.md": {},
  "report.md": {
    missing: lackOf(
      hasSqlite || existsSync(node24),
      "test/portability is not installed: it has a Node with SQLite",
    ),
    programs: hasSqlite ? {} : { node: `exec "${node24}" "$@"` },
    text: async (page) => page.replaceAll("8401", String((await freePorts(1))[0])),
  },
  "revision.md": {
    prepare(folder, { modules }) {
      for (const revision of ["2025-11-25", "2026-07-28"]) {
        mkdirSync(join(folder, "downloads", revision), { recursive: true });
        cpSync(
          join(modules, "mcpgen/schema", revision, "schema.json"),
          join(folder, "downloads", revision, "schema.json"),
        );
      }
    },
  },
  "see-what-hosts-see.md": {
    missing: installed.every(({ file }) => existsSync(file))
      ? undefined
      : lackOf(!isThorough, "`npm run hosts` has not installed Codex and Claude Code") ||
        "the nightly installs its hosts",
    programs: Object.fromEntries(installed.map(({ program, file }) => [program, `exec "${file}" "$@"`])),
    // They are installed, and large.
    steps: (steps) => steps.filter((step) => step.kind !== "run" || !step.script.includes("@openai/codex")),
  },
  "server.md": {},
  "test-a-server.md": {},
};

/** The same steps for a server of SDK 2. The last one shows a revision that SDK 1 does not have. */
const ofSdk2: Guide = {
  name: "migration.md, for a server of SDK 2",
  page: "migration.md",
  steps: ([old, ...rest]) => {
    const text = readFileSync("test/interop/servers/shop-v2.mjs", "utf8");
    const ofTwo = (step: Step): Step =>
      step.kind === "run"
        ? {
            ...step,
            script: step.script.replace(
              "install @modelcontextprotocol/sdk",
              "install @modelcontextprotocol/server",
            ),
          }
        : step;
    return [{ ...old, text } as Step, ...rest.slice(0, -1).map(ofTwo)];
  },
};

/** The skill for agents; its HTTP server does not run. */
const ofSkill: Guide = {
  name: "SKILL.md",
  page: "../../skills/mcpgen/SKILL.md",
  text: async (page) => page.replace(/^npx mcpgen call http:.*\n/m, ""),
};

/** A walk along each page. @throws {Error} a page without a row in the table above, or a row without a page */
export function guidesIn(folder: string): readonly Guide[] {
  const pages = readdirSync(folder).sort();
  const known = Object.keys(preparations).sort();
  if (pages.join() !== known.join()) throw new Error(`docs/guides has ${pages.join()}, not ${known.join()}`);
  const guides = [...pages.map((page) => ({ name: page, page, ...preparations[page] })), ofSkill];
  return isThorough ? [...guides, ofSdk2] : guides;
}

/** Takes all steps of a page, in order. @throws {Error} a command does not do what the page says */
export async function walk(
  { name, page, prepare, programs, text, steps, reader: ReaderOfPage = Reader }: Guide,
  folder: string,
  installation: Installation,
  atEnd: AtEnd,
): Promise<void> {
  const id = name.replaceAll(/\W+/g, "-");
  const work = firstFolder(installation, id);
  prepare?.(work, installation);
  const env = environmentIn(`${work}-home`, programs);
  const reader = new ReaderOfPage(work, env, atEnd);
  const written = readFileSync(join(folder, page), "utf8");
  const all = stepsOf(text ? await text(written) : written);
  for (const step of steps ? steps(all) : all) await reader.take(step);
}
