import { dirname, join } from "node:path";
import { ts } from "ts-morph";
import { type Literals, calleeName, moduleOf, nameOf, visitAll } from "./literals.js";

/** A call that creates a server. */
interface CreatedServer {
  readonly call: ts.CallExpression;
  /** The generated function, for the server of a contract. */
  readonly creator: ts.Node | undefined;
  /** Whether its handlers wait, wherever it is served: `state.parking` says so, or may. */
  readonly parks: boolean;
  /** Why its handlers cannot wait for an answer. */
  reason: string | undefined;
}

const runtime = /^@mcpgen\/runtime(?:\/|$)/;

/** Modules of platforms whose processes may end, or serve no further request, while a handler waits. */
const serverless =
  /^(?:cloudflare:|@cloudflare\/workers-types$|@netlify\/(?:edge-)?functions$|@vercel\/(?:edge|functions|node)$|aws-lambda$|@azure\/functions$|@google-cloud\/functions|hono\/(?:aws-lambda|lambda-edge|cloudflare-|netlify|vercel))/;

/** The servers that a program creates, and which of them cannot wait for an answer. */
export class Servers {
  readonly #literals: Literals;
  readonly #created: CreatedServer[] = [];

  /** @param creators the generated functions that create servers, with the index of their options */
  constructor(files: readonly ts.SourceFile[], literals: Literals, creators: ReadonlyMap<ts.Node, number>) {
    this.#literals = literals;
    const names = [...creators.keys()].map(nameOf);
    const served: { readonly server: ts.Expression; readonly reason: string }[] = [];
    for (const file of files) {
      if (!/Server\(|createHttpHandler\(/.test(file.text)) continue;
      const mayCreate = names.some((name) => name !== undefined && file.text.includes(name));
      visitAll(file, (node) => {
        const name = ts.isCallExpression(node) ? calleeName(node) : undefined;
        if (!name) return;
        const call = node as ts.CallExpression;
        const declared = mayCreate ? literals.declarationOf(name) : undefined;
        const creator = declared && creators.has(declared) ? declared : undefined;
        const isOwn = (own: string): boolean => name.text === own && runtime.test(moduleOf(call.expression));
        if (creator || isOwn("createServer"))
          this.#created.push({ call, creator, ...this.#parking(call, creators.get(creator!) ?? 1) });
        else if (isOwn("createHttpHandler") && call.arguments[0]) {
          const reason = serverlessEntry(file);
          if (reason !== undefined) served.push({ server: call.arguments[0], reason });
        }
      });
    }
    for (const { server, reason } of served) {
      for (const created of this.#made(server)) if (!created.parks) created.reason ??= reason;
    }
  }

  /**
   * Why handlers of a server cannot wait. If it is not known which call created the server, the reason has to
   * hold for each server of the program.
   */
  reason(server: ts.Expression): string | undefined {
    const created = this.#made(server);
    return commonReason(created.length > 0 ? created : this.#created);
  }

  /** The calls that may have created a server: the one that its name leads to, or those in the function that returns it. */
  #made(server: ts.Expression): CreatedServer[] {
    const made = this.#literals.resolved(server);
    const own = this.#created.filter(({ call }) => call === made);
    const maker = ts.isCallExpression(made) ? this.#literals.functionOf(made.expression) : undefined;
    if (own.length > 0 || !maker) return own;
    return this.#created.filter(({ call }) => ts.findAncestor(call, (each) => each === maker) !== undefined);
  }

  reasonOfContract(creator: ts.Node): string | undefined {
    return commonReason(this.#created.filter((each) => each.creator === creator));
  }

  /** What the option `state.parking` of a server says. What is not written in the code may say that handlers wait. */
  #parking(call: ts.CallExpression, index: number): Pick<CreatedServer, "parks" | "reason"> {
    let value: ts.Expression | undefined = call.arguments[index];
    for (const name of ["state", "parking"]) {
      const object = this.#literals.object(value);
      if (value && !object) return { parks: true, reason: undefined };
      value = this.#literals.member(object, name);
    }
    if (!value) return { parks: false, reason: undefined };
    const isOff = this.#literals.resolved(value).kind === ts.SyntaxKind.FalseKeyword;
    return { parks: !isOff, reason: isOff ? "its server has state.parking: false" : undefined };
  }
}

function commonReason(servers: readonly CreatedServer[]): string | undefined {
  return servers.every(({ reason }) => reason !== undefined) ? servers[0]?.reason : undefined;
}

/** By which fact a file, which serves by `fetch`, runs where no process waits. */
function serverlessEntry(file: ts.SourceFile): string | undefined {
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const { text } = statement.moduleSpecifier;
    if (serverless.test(text)) return `its server is served with ${JSON.stringify(text)}`;
  }
  if (/\bExportedHandler\b/.test(file.text)) return "its server is an ExportedHandler of a worker";
  if (/\bruntime\s*[:=]\s*["']edge["']/.test(file.text)) return 'its server is served with runtime "edge"';
  const wrangler = wranglerFile(file.fileName);
  return wrangler && `its server is deployed as a worker (${wrangler})`;
}

/** The name of the file that makes a worker of a package. */
function wranglerFile(path: string): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const has = (name: string): boolean => ts.sys.fileExists(join(folder, name));
    const found = ["wrangler.toml", "wrangler.json", "wrangler.jsonc"].find(has);
    if (found !== undefined || has("package.json") || dirname(folder) === folder) return found;
  }
}
