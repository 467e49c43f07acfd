import { deepStrictEqual } from "node:assert";
import { contenders, modern } from "./contenders.mjs";
import { HttpLoad, headerOf, messageOf } from "./http-load.mjs";
import { initialize, initialized } from "./messages.mjs";
import { ProcessUnderTest } from "./process-under-test.mjs";

const mediaTypes = { json: "application/json", sse: "text/event-stream" };

/**
 * Returns the contenders that support this mode over HTTP.
 *
 * @param mode `{ revision, stateful, responses, headers }`; `responses` is `json` or `sse`, or undefined for
 * either
 */
export function contendersFor({ revision, responses }) {
  return contenders().filter(
    ({ http, revisions }) =>
      http && revisions.includes(revision) && (!responses || !http.responses || http.responses === responses),
  );
}

/** An HTTP server in a separate process, and connections to it. */
export class HttpUnderTest {
  #process;
  #load;
  #mode;

  constructor(process, load, mode) {
    this.#process = process;
    this.#load = load;
    this.#mode = mode;
  }

  static async open({ http }, mode, connections) {
    const { revision, stateful, responses = http.responses ?? "json", headers = {} } = mode;
    const { server, options: more = [], environment } = http;
    const options = ["--http", `--responses=${responses}`, ...(stateful ? [] : ["--stateless"]), ...more];
    const process = new ProcessUnderTest(server, { options, environment });
    const [port] = await process.receive();
    const load = await HttpLoad.open(port, connections, {
      Accept: (responses === "json" && http.acceptsJson) || "application/json, text/event-stream",
      "MCP-Protocol-Version": revision,
      ...(revision === modern ? { "Mcp-Method": "tools/call", "Mcp-Name": "echo" } : {}),
      ...headers,
    });
    return new HttpUnderTest(process, load, { ...mode, responses });
  }

  /**
   * Opens sessions on each connection, one after another, until there are `count`; each connection stays in
   * the last session that it opened.
   */
  async openSessions(count = this.#load.size) {
    const { revision } = this.#mode;
    await this.#load.inTurns(count, async (connection) => {
      connection.join(undefined);
      const answer = await connection.post(JSON.stringify(initialize(revision)));
      deepStrictEqual(messageOf(answer).result.protocolVersion, revision);
      connection.join(headerOf(answer, "mcp-session-id"));
      await connection.post(JSON.stringify(initialized));
    });
  }

  /** Sends one request on every connection, and passes each result to `judge`. */
  async tryOut(body, judge) {
    await this.#load.inTurns(this.#load.size, async (connection) => {
      const answer = await connection.post(body(0));
      const { id, result } = messageOf(answer);
      deepStrictEqual(id, 1);
      judge(result);
      deepStrictEqual(headerOf(answer, "content-type")?.split(";")[0], mediaTypes[this.#mode.responses]);
    });
  }

  /**
   * Measures the CPU time for each of `count` requests, in microseconds; `body(index)` returns the text of a
   * request.
   */
  async cost(body, count) {
    const before = await this.cpu();
    await this.#load.inTurns(count, (connection, index) => connection.post(body(index)));
    return ((await this.cpu()) - before) / count;
  }

  /** Microseconds of CPU time that the server has used so far. */
  cpu() {
    return this.#process.cpu();
  }

  /** Bytes of heap in use. */
  heap() {
    return this.#process.heap();
  }

  async end() {
    this.#load.close();
    await this.#process.end();
  }
}
