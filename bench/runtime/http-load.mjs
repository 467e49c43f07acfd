import { once } from "node:events";
import { connect } from "node:net";

/**
 * Connections that are kept alive, each with one request at a time. To keep the client cheap, it searches a
 * response only for its end while it measures.
 */
export class HttpLoad {
  #connections;

  constructor(connections) {
    this.#connections = connections;
  }

  /** @param headers headers of every request besides its content length */
  static async open(port, count, headers) {
    const opening = Array.from({ length: count }, () => KeptConnection.open(port, headers));
    return new HttpLoad(await Promise.all(opening));
  }

  /** The number of connections. */
  get size() {
    return this.#connections.length;
  }

  /** Runs `work(connection, index)` for each index below `count`, each as soon as a connection is free. */
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

/** One connection to a server over a raw socket. Each request is a single write. */
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
      ` /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${lines.join("")}`,
    );
  }

  /** Sends all later requests in this session; without an argument, in no session. */
  join(session) {
    this.#session = session === undefined ? "" : `Mcp-Session-Id: ${session}\r\n`;
  }

  /** Sends a request; resolves to the response as it was received: head and body. */
  post(body) {
    return this.#request("POST", `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** Ends the session on the server, and leaves it. */
  async leave() {
    await this.#request("DELETE", "\r\n");
    this.join(undefined);
  }

  #request(method, rest) {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(`${method}${this.#head}${this.#session}${rest}`);
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
  // Responses to notifications have no body, and may have no Content-Length.
  return /^transfer-encoding: chunked/im.test(received.slice(0, end))
    ? received.endsWith("\r\n0\r\n\r\n")
    : true;
}

/** Returns the value of a header of a response. */
export function headerOf(answer, name) {
  return new RegExp(`^${name}: (.*?)\\r?$`, "im").exec(answer.slice(0, answer.indexOf("\r\n\r\n")))?.[1];
}

/** Returns the message in a response: a JSON body, or the last event of a stream. */
export function messageOf(answer) {
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  const text = headerOf(answer, "transfer-encoding") === "chunked" ? joined(body) : body;
  const isStream = headerOf(answer, "content-type")?.startsWith("text/event-stream");
  return JSON.parse(isStream ? /.*^data: (\{.*\})\r?$/ms.exec(text)[1] : text);
}

/** Joins the chunks of a chunked body. */
function joined(body) {
  const end = body.indexOf("\r\n");
  const length = parseInt(body.slice(0, end), 16);
  if (length === 0) return "";
  const next = end + 2 + length;
  return body.slice(end + 2, next) + joined(body.slice(next + 2));
}
