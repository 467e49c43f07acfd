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

const changing =
  "creat mkdir mkdirat mknod mknodat rename renameat renameat2 unlink unlinkat rmdir link linkat symlink symlinkat truncate " +
  "ftruncate chmod fchmod fchmodat chown lchown fchown fchownat utime utimes futimesat utimensat setxattr lsetxattr fsetxattr " +
  "removexattr lremovexattr fremovexattr";
const opening = "open openat openat2";
const sending = "connect sendto sendmsg sendmmsg";
const signalling = "kill tkill tgkill";
const others = "bind io_uring_setup chdir fchdir clone clone3 fork vfork execve";
const [changes, opens, sends, signals] = [changing, opening, sending, signalling].map(
  (names) => new Set(names.split(" ")),
);

/**
 * The command that traces a program and all that it starts.
 *
 * @param file where the trace is written
 */
export function traced(file: string, command: readonly string[]): readonly string[] {
  const calls = [changing, opening, sending, signalling, others].join(" ").replaceAll(" ", ",");
  // Rings of the kernel do everything without a call that could be traced; programs do without them.
  const rings = "inject=io_uring_setup:error=ENOSYS";
  const options = ["-f", "--seccomp-bpf", "-y", "-v", "-s", "4096", "-e", rings];
  return ["strace", ...options, "-e", `trace=${calls}`, "-o", file, "--", ...command];
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
  const [files, addresses, processes, variables] = [0, 1, 2, 3].map(() => new Set<string>());
  const folders = new Map<number, string>();
  const [ended, sent] = [new Map<number, boolean>(), new Map<number, string>()];
  const isOwn = (path: string): boolean =>
    systems.test(path) || allowed.some((folder) => path === folder || path.startsWith(`${folder}/`));
  let programs = 0;
  for (const { pid, name, args, result, error } of callsIn(readFileSync(file, "utf8"))) {
    if (!ended.has(pid)) ended.set(pid, false);
    // The first process is the first line.
    if (folders.size === 0) folders.set(pid, directory);
    if (name === "exit") ended.set(pid, true);
    const paths = (): string[] => pathsIn(args, folders.get(pid));
    if (/^(?:v?fork|clone3?)$/.test(name) && !folders.has(result))
      folders.set(result, folders.get(pid) ?? "?");
    if (/^f?chdir$/.test(name) && result === 0) folders.set(pid, paths()[0]!);
    if (opens!.has(name) && /O_(?:WRONLY|RDWR|CREAT|TRUNC|TMPFILE)/.test(args)) {
      const isNothing = error === "ENOENT" && !args.includes("O_CREAT");
      if (!isNothing)
        for (const path of paths()) if (!isOwn(path)) files!.add(`open ${path}${outcome(error)}`);
    }
    if (changes!.has(name) && error !== "EEXIST")
      for (const path of changedIn(name, paths()))
        if (!isOwn(path)) files!.add(`${name} ${path}${outcome(error)}`);
    if (name === "bind" || sends!.has(name)) {
      for (const path of socketsIn(args, folders.get(pid)))
        if (!isOwn(path) && path !== nameCache)
          (name === "bind" ? files! : processes!).add(`${name} ${path}`);
    }
    if (sends!.has(name)) for (const address of addressesIn(args)) addresses!.add(address);
    if (name === "io_uring_setup" && error === undefined) files!.add("io_uring_setup");
    if (name === "execve" && error === undefined && programs++ > 0 && secret !== undefined)
      if (args.includes(secret)) variables!.add(/"([^"]*)"/.exec(args)![1]!);
    if (signals!.has(name)) {
      const target = Math.abs(Number.parseInt(args, 10));
      if (target > 0 && !/, (?:0|NULL)$/.test(args)) sent.set(target, `${name}(${args})`);
    }
  }
  for (const [target, call] of sent) if (!ended.has(target)) processes!.add(call);
  for (const [pid, isEnded] of ended) if (!isEnded) processes!.add(`process ${pid} did not end`);
  const [inFiles, inAddresses, inProcesses, inVariables] = [files, addresses, processes, variables].map(
    (each) => [...each!].toSorted(),
  );
  return { files: inFiles!, addresses: inAddresses!, processes: inProcesses!, variables: inVariables! };
}

interface Call {
  readonly pid: number;
  /** `exit` for the end of a process. */
  readonly name: string;
  readonly args: string;
  readonly result: number;
  readonly error: string | undefined;
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

/** The paths in a call's arguments; a relative one starts at the open folder before it, or at the process's own. */
function pathsIn(args: string, folder = "?"): string[] {
  const paths: string[] = [];
  let start: string | undefined;
  for (const [, opened, text] of args.matchAll(
    /(?:AT_FDCWD|\b\d+)<((?:[^<>\\]|\\.)*)>|"((?:[^"\\]|\\.)*)"/g,
  )) {
    if (opened !== undefined) {
      if (start !== undefined) paths.push(start);
      start = unescaped(opened);
    } else {
      paths.push(unescaped(text!, start ?? folder));
      start = undefined;
    }
  }
  if (start !== undefined) paths.push(start);
  return paths;
}

/** A link changes nothing at its target; the second text of an attribute is its name. */
function changedIn(name: string, paths: string[]): string[] {
  if (name.startsWith("symlink")) return paths.slice(-1);
  return name.endsWith("xattr") ? paths.slice(0, 1) : paths;
}

function unescaped(text: string, folder?: string): string {
  const path = text.replace(/\\(?:([0-7]{1,3})|(.))/g, (_, octal: string | undefined, other: string) =>
    octal === undefined ? other : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return folder === undefined || isAbsolute(path)
    ? path
    : folder === "?"
      ? `?/${path}`
      : resolve(folder, path);
}

/** The paths of sockets; those without a name in the file system reach no file. */
function socketsIn(args: string, folder: string | undefined): string[] {
  return [...args.matchAll(/sun_path="((?:[^"\\]|\\.)*)"/g)].map(([, path]) => unescaped(path!, folder));
}

/** Addresses in a call's arguments that are not of this machine. One at the port of name servers hands a name on. */
function addressesIn(args: string): string[] {
  const four = /sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/g;
  const six = /sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"/g;
  return [...args.matchAll(four), ...args.matchAll(six)].flatMap(([, port, address]) =>
    /^(?:::ffff:)?127\.|^::1$/.test(address!) && port !== "53" ? [] : [`${address}:${port}`],
  );
}

function outcome(error: string | undefined): string {
  return error === undefined ? "" : ` (${error})`;
}
