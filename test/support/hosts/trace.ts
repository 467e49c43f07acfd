import { readFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";

/** What traced processes did to the machine; each list has every entry once, in the order of the alphabet. */
export interface Trace {
  /** System calls that made, wrote, renamed, removed or changed a file outside of the allowed folders, or tried to. */
  readonly files: readonly string[];
  /** Addresses of other machines. */
  readonly addresses: readonly string[];
  /** Sockets of other processes, signals to those that were not traced, and traced ones that did not end. */
  readonly processes: readonly string[];
  /** Programs, other than the first, that got a variable with the given text. */
  readonly variables: readonly string[];
}

const changing = new Set([
  ...[
    "creat",
    "mkdir",
    "mkdirat",
    "mknod",
    "mknodat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
  ],
  ...["rmdir", "link", "linkat", "symlink", "symlinkat", "truncate", "ftruncate", "bind", "io_uring_setup"],
  ...["chmod", "fchmod", "fchmodat", "chown", "lchown", "fchown", "fchownat"],
  ...["utime", "utimes", "futimesat", "utimensat"],
  ...["setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"],
]);
const opening = new Set(["open", "openat", "openat2"]);
const sending = new Set(["connect", "sendto", "sendmsg", "sendmmsg"]);
const signalling = new Set(["kill", "tkill", "tgkill"]);
const starting = new Set(["clone", "clone3", "fork", "vfork"]);
const others = ["chdir", "fchdir", "execve"];

/**
 * The command that traces a program and all that it starts.
 *
 * @param file where the trace is written
 */
export function traced(file: string, command: readonly string[]): readonly string[] {
  const calls = [...changing, ...opening, ...sending, ...signalling, ...starting, ...others];
  // Rings of the kernel do everything without a call that could be traced; programs do without them.
  const rings = "inject=io_uring_setup:error=ENOSYS";
  const options = ["-f", "--seccomp-bpf", "-y", "-v", "-s", "4096", "-e", rings];
  return ["strace", ...options, "-e", `trace=${calls.join(",")}`, "-o", file, "--", ...command];
}

export interface TraceOptions {
  /** Folder in which the first process starts. */
  readonly directory: string;
  /** Folders in which processes may do anything. */
  readonly allowed: readonly string[];
  /** A text that is in a variable of the first process. */
  readonly secret?: string;
}

/** Devices and the kernel's own files; file descriptors without a file. */
const systems = /^\/(?:dev|proc)\/|^(?:pipe|socket|anon_inode|\/memfd|mnt):/;

/** The C library asks a cache of names for users and hosts. */
const nameCache = "/var/run/nscd/socket";

/** Reads a trace. */
export function readTrace(file: string, { directory, allowed, secret }: TraceOptions): Trace {
  const calls = placed(callsIn(readFileSync(file, "utf8")), directory);
  const isOutside = (path: string): boolean =>
    !systems.test(path) && !allowed.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const pids = new Set(calls.map(({ pid }) => pid));
  const ended = new Set(calls.filter(({ name }) => name === "exit").map(({ pid }) => pid));
  const sent = calls.filter(({ name }) => sending.has(name));
  const [, ...programs] = calls.filter(({ name, error }) => name === "execve" && error === undefined);
  return {
    files: unique(
      calls.flatMap((call) =>
        changesOf(call)
          .filter((path) => isOutside(path))
          .map((path) => `${call.name} ${path}${call.error === undefined ? "" : ` (${call.error})`}`),
      ),
    ),
    addresses: unique(sent.flatMap((call) => addressesIn(call))),
    processes: unique([
      ...sent.flatMap((call) =>
        socketsIn(call)
          .filter((path) => isOutside(path) && path !== nameCache)
          .map((path) => `${call.name} ${path}`),
      ),
      ...calls.filter((call) => isSignal(call, pids)).map(({ name, args }) => `${name}(${args})`),
      ...[...pids].filter((pid) => !ended.has(pid)).map((pid) => `process ${pid} did not end`),
    ]),
    variables: unique(
      programs
        .filter(({ args }) => secret !== undefined && args.includes(secret))
        .map(({ args }) => /"([^"]*)"/.exec(args)![1]!),
    ),
  };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}

interface Call {
  readonly pid: number;
  /** `exit` for the end of a process. */
  readonly name: string;
  readonly args: string;
  readonly result: number;
  readonly error: string | undefined;
}

/** A call, with the working folder of its process; `?` where it is not known. */
interface PlacedCall extends Call {
  readonly folder: string;
}

/** The calls of a trace, those in two lines joined. */
function* callsIn(text: string): Generator<Call> {
  const begun = new Map<number, string>();
  for (const line of text.split("\n")) {
    const [, id, said = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (id === undefined) continue;
    const pid = Number(id);
    if (said.startsWith("+++")) {
      yield { pid, name: "exit", args: "", result: 0, error: undefined };
      continue;
    }
    const [, half] = /^(.*?),? <unfinished \.\.\.>$/.exec(said) ?? [];
    if (half !== undefined) {
      begun.set(pid, half);
      continue;
    }
    const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(said) ?? [];
    const whole = rest === undefined ? said : `${begun.get(pid)}${rest}`;
    const [, name, args, result, error] =
      /^(\w+)\((.*)\) += (-?\w+|\?)(?:<.*>)?(?: (E\w+) .*| \(.*\))?$/.exec(whole) ?? [];
    if (name !== undefined) yield { pid, name, args: args!, result: Number(result), error };
  }
}

/** Follows the working folders of processes. */
function placed(calls: Iterable<Call>, directory: string): readonly PlacedCall[] {
  const folders = new Map<number, string>();
  return [...calls].map((call) => {
    // The first line is of the first process.
    if (folders.size === 0) folders.set(call.pid, directory);
    const { pid, name, result } = call;
    const one = { ...call, folder: folders.get(pid) ?? "?" };
    if (starting.has(name) && !folders.has(result)) folders.set(result, one.folder);
    if (/^f?chdir$/.test(name) && result === 0) folders.set(pid, pathsIn(one)[0]!);
    return one;
  });
}

/** The paths that a call changes, or would, if it were allowed. */
function changesOf(call: PlacedCall): readonly string[] {
  const { name, args, error } = call;
  if (opening.has(name)) {
    const isChange = /O_(?:WRONLY|RDWR|CREAT|TRUNC|TMPFILE)/.test(args);
    return isChange && (error !== "ENOENT" || args.includes("O_CREAT")) ? pathsIn(call) : [];
  }
  if (!changing.has(name) || error === "EEXIST") return [];
  if (name === "io_uring_setup") return error === undefined ? ["a ring of the kernel"] : [];
  if (name === "bind") return socketsIn(call);
  const paths = pathsIn(call);
  // A link changes nothing at its target; the second text of an attribute is its name.
  if (name.startsWith("symlink")) return paths.slice(-1);
  return name.endsWith("xattr") ? paths.slice(0, 1) : paths;
}

/** Whether a call sends a signal to another process than these. Its number 0 only asks whether the process is there. */
function isSignal({ name, args }: Call, pids: ReadonlySet<number>): boolean {
  const target = Math.abs(Number.parseInt(args, 10));
  return signalling.has(name) && target > 0 && !pids.has(target) && !args.endsWith(", 0");
}

/** The paths in a call's arguments; a relative one starts at the open folder before it, or at the process's own. */
function pathsIn({ args, folder }: PlacedCall): string[] {
  const paths: string[] = [];
  let start: string | undefined;
  for (const [, opened, text] of args.matchAll(
    /(?:AT_FDCWD|\b\d+)<((?:[^<>\\]|\\.)*)>|"((?:[^"\\]|\\.)*)"/g,
  )) {
    if (start !== undefined && text === undefined) paths.push(start);
    if (text !== undefined) paths.push(pathOf(text, start ?? folder));
    start = opened === undefined ? undefined : pathOf(opened, "?");
  }
  return start === undefined ? paths : [...paths, start];
}

/** The paths of sockets; those without a name in the file system reach no file. */
function socketsIn({ args, folder }: PlacedCall): string[] {
  return [...args.matchAll(/sun_path="((?:[^"\\]|\\.)*)"/g)].map(([, path]) => pathOf(path!, folder));
}

/** A path, as it is written in a trace. */
function pathOf(text: string, folder: string): string {
  const path = text.replace(/\\(?:([0-7]{1,3})|(.))/g, (_, octal: string | undefined, other: string) =>
    octal === undefined ? other : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return isAbsolute(path) || folder === "?" ? path : resolve(folder, path);
}

/** Addresses in a call's arguments that are not of this machine. One at the port of name servers hands a name on. */
function addressesIn({ args }: Call): string[] {
  const four = /sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/g;
  const six = /sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"/g;
  return [...args.matchAll(four), ...args.matchAll(six)].flatMap(([, port, address]) =>
    /^(?:::ffff:)?127\.|^::1$/.test(address!) && port !== "53" ? [] : [`${address}:${port}`],
  );
}
