import { boundedBytes } from "../shared/bounded-bytes.js";
import { Refused } from "./responses.js";

/** Maximum size of a body in bytes. */
const maxBody = 65_536;

/** Reads the body of a request as text. @throws {Refused} it is too large, or not UTF-8 */
export async function readBody(request: Request): Promise<string> {
  const bytes = await boundedBytes(request.body, maxBody);
  if (!bytes) throw new Refused("invalid_request", "the body is too large", { status: 413 });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("invalid_request", "the body is not UTF-8");
  }
}

/** Parameters of an OAuth request. Each may occur once (RFC 6749, 3.1); an empty one counts as absent. */
export class Parameters {
  readonly repeated: readonly string[];
  private readonly query: URLSearchParams;

  constructor(query: URLSearchParams) {
    this.query = query;
    const known = new Set<string>();
    const repeated = new Set<string>();
    for (const name of query.keys()) (known.has(name) ? repeated : known).add(name);
    // `resource` may occur several times (RFC 8707, 2).
    repeated.delete("resource");
    this.repeated = [...repeated];
  }

  get(name: string): string | undefined {
    return this.query.get(name) || undefined;
  }

  all(name: string): readonly string[] {
    return this.query.getAll(name).filter((value) => value !== "");
  }
}

/** Reads the form of a POST request. @throws {Refused} `invalid_request` */
export async function formOf(request: Request): Promise<Parameters> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw new Refused("invalid_request", "the body must be application/x-www-form-urlencoded");
  const form = new Parameters(new URLSearchParams(await readBody(request)));
  if (form.repeated.length > 0) throw new Refused("invalid_request", "a parameter stands twice");
  return form;
}
