import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { overhear } from "../support/overheard.js";

// Stands in front of a program, and records what passes, one JSON value a line: of a host, its requests to the model; of a
// server, the messages of both sides. node recorder.mjs host|server RECORD PROGRAM [ARGUMENT…]

const [, , kind, file = "", program = "", ...args] = process.argv;
const record = (entry: object): void => appendFileSync(file, `${JSON.stringify(entry)}\n`);
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

if (kind === "host") await listenToHost();
else listenToServer();

async function listenToHost(): Promise<void> {
  record({ home: process.cwd() });
  const overheard = await overhear((path, body) => record({ path, body: parsed(body.toString()) }));
  const onward = (model: string): string => {
    overheard.model = model;
    return overheard.url;
  };
  const { ANTHROPIC_BASE_URL: model } = process.env;
  if (model !== undefined) process.env["ANTHROPIC_BASE_URL"] = onward(model);
  else {
    const settings = ".codex/config.toml";
    const text = readFileSync(settings, "utf8");
    writeFileSync(settings, text.replace(/(?<=^base_url = ")http:\/\/127\.0\.0\.1:\d+/m, onward));
  }
  const host = spawn(program, args, { stdio: "inherit" });
  host.once("exit", (code) => process.exit(code ?? 1));
}

function listenToServer(): void {
  const session = process.pid;
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const listen = (from: string, stream: Readable): void =>
    void createInterface({ input: stream }).on("line", (line) =>
      record({ session, from, message: parsed(line) }),
    );
  listen("client", process.stdin);
  listen("server", server.stdout);
  process.stdin.pipe(server.stdin);
  server.stdout.pipe(process.stdout);
  server.stdin.on("error", () => {});
  process.stdout.on("error", () => {});
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => server.kill(signal));
  server.once("exit", (code) => process.exit(code ?? 1));
}
