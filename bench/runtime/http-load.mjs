import { once } from "node:events";
import { connect } from "node:net";

/**
 * Connections that are kept, each with one request at a time. What the driver costs is the driver's: it reads
 * no more of an answer than where it ends while it measures.
 */
export class HttpLoad {
  #connections;

  constructor(connections) {
    this.#connections = connections;
  }

  /** @param headers what every request says beside its length */
  static async open(port, count, headers) {
    const opening = Array.from({ length: count }, () => KeptConnection.open(port, headers));
    return new HttpLoad(await Promise.all(opening));
  }

  /** Connections. */
  get size() {
    return this.#connections.length;
  }

  /** Does `work(connection, index)` for each index below `count`, as soon as a connection is free. */
  async inTurns(count, work) {
    let begun = 0;
    const through = async (connection) => {
      while (begun < count) await work(connection, begun++);
    };
    await Promise.all(this.#connections.map(through));
  }

  close() {
    for (const connection of this.#connections) connection.close();
  }
}

/** One connection to a server, raw: a request is one write. */
class KeptConnection {
  #socket;
  #head;
  #session = "";
  #received = "";
  #settle;

  constructor(socket, head) {
    this.#socket = socket;
    this.#head = head;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (text) => this.#onData(text));
    socket.on("close", () => this.#settle?.reject(new Error("the server closed the connection")));
    socket.on("error", (error) => this.#settle?.reject(error));
  }

  static async open(port, headers) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new KeptConnection(
      socket,
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${lines.join("")}`,
    );
  }

  /** From here on every request belongs to this session, or to none. */
  join(session) {
    this.#session = session === undefined ? "" : `Mcp-Session-Id: ${session}\r\n`;
  }

  /** Resolves to the answer as it came: head and body. */
  post(body) {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(
        `${this.#head}${this.#session}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  }

  #onData(text) {
    this.#received += text;
    const received = this.#received;
    if (!isWhole(received)) return;
    this.#received = "";
    const { resolve, reject } = this.#settle;
    this.#settle = undefined;
    if (received.startsWith("HTTP/1.1 2")) resolve(received);
    else reject(new Error(`the server answered:\n${received}`));
  }

  close() {
    this.#socket.destroy();
  }
}

function isWhole(received) {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received);
  if (length && length.index < end) return received.length >= end + 4 + Number(length[1]);
  // The answers to notifications have no body, and perhaps no length either.
  return /^transfer-encoding: chunked/im.test(received.slice(0, end))
    ? received.endsWith("\r\n0\r\n\r\n")
    : true;
}

/** Value of a header of an answer. */
export function headerOf(answer, name) {
  return new RegExp(`^${name}: (.*?)\\r?$`, "im").exec(answer.slice(0, answer.indexOf("\r\n\r\n")))?.[1];
}

/** The message that an answer brings, in a body of JSON or as the last event of a stream. */
export function messageOf(answer) {
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  const text = headerOf(answer, "transfer-encoding") === "chunked" ? joined(body) : body;
  const isStream = headerOf(answer, "content-type")?.startsWith("text/event-stream");
  return JSON.parse(isStream ? /.*^data: (\{.*\})\r?$/ms.exec(text)[1] : text);
}

/** The chunks of a body, put together. */
function joined(body) {
  const end = body.indexOf("\r\n");
  const length = parseInt(body.slice(0, end), 16);
  if (length === 0) return "";
  const next = end + 2 + length;
  return body.slice(end + 2, next) + joined(body.slice(next + 2));
}
