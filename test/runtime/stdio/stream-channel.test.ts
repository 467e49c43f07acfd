import { PassThrough, Writable } from "node:stream";
import { createServer, connect, type AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { streamChannel } from "../../../runtime/core/stdio/stream-channel.js";
import { Recorder } from "../../support/recorder.js";

/** A writable that keeps what is written at once, as separate writes. */
function collector(): { readonly stream: Writable; readonly writes: string[] } {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      if (text !== "") writes.push(text);
      done();
    },
  });
  return { stream, writes };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("texts of one turn are sent in one write, however deep in microtasks", async () => {
  const { stream, writes } = collector();
  const channel = streamChannel(new PassThrough(), stream);
  channel.send("1");
  let chain = Promise.resolve();
  for (let depth = 0; depth < 50; depth++) chain = chain.then(() => {});
  void chain.then(() => channel.send("2"));
  await turn();
  expect(writes).toEqual(["1\n2\n"]);
});

test("flush writes the queue at once, and only once", async () => {
  const { stream, writes } = collector();
  const channel = streamChannel(new PassThrough(), stream);
  channel.send("1");
  channel.flush();
  expect(writes).toEqual(["1\n"]);
  channel.flush();
  await turn();
  expect(writes).toEqual(["1\n"]);
});

test("messages arrive only after open, chunk by chunk, and the end of the input is in order", async () => {
  const input = new PassThrough();
  const channel = streamChannel(input, collector().stream);
  input.write("a\nb");
  await turn();
  const recorder = new Recorder(channel);
  expect(recorder.texts).toEqual([]);
  await recorder.until(() => recorder.texts.length === 1);
  input.end("\nc");
  expect(await recorder.reason()).toBeUndefined();
  expect(await channel.closed).toBeUndefined();
  expect(recorder.texts).toEqual(["a", "b", "c"]);
});

test("a stream with an encoding set is read correctly", async () => {
  const input = new PassThrough();
  const recorder = new Recorder(streamChannel(input.setEncoding("utf8"), collector().stream));
  input.end("ä\n");
  await recorder.reason();
  expect(recorder.texts).toEqual(["ä"]);
});

test("messages sent after the end of the input are written; after close none are", async () => {
  const input = new PassThrough();
  const { stream, writes } = collector();
  const channel = streamChannel(input, stream);
  const recorder = new Recorder(channel);
  input.end();
  await recorder.reason();
  channel.send("late");
  const closing = channel.close();
  channel.send("too late");
  await closing;
  await channel.close();
  expect(writes).toEqual(["late\n"]);
  expect(recorder.closings).toHaveLength(1);
  expect(stream.writableFinished).toBe(true);
});

test("close resolves only when the stream has taken everything", async () => {
  let take: (() => void) | undefined;
  const slow = new Writable({ write: (_chunk, _encoding, done) => void (take = done) });
  const channel = streamChannel(new PassThrough(), slow);
  channel.send("1");
  let closed = false;
  const closing = channel.close().then(() => (closed = true));
  await turn();
  expect(closed).toBe(false);
  take!();
  await closing;
});

test("close ends the reading at once", async () => {
  const input = new PassThrough();
  const channel = streamChannel(input, collector().stream);
  const recorder = new Recorder(channel);
  recorder.message = (text) => {
    recorder.texts.push(text);
    void channel.close();
  };
  input.write("1\n2\n");
  expect(await recorder.reason()).toBeUndefined();
  expect(recorder.texts).toEqual(["1"]);
});

test("a failing output closes the channel with a typed error, and later messages are ignored", async () => {
  const failure = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(failure) });
  const channel = streamChannel(new PassThrough(), broken);
  const recorder = new Recorder(channel);
  channel.send("1");
  expect(await recorder.reason()).toMatchObject({ code: "connection-closed", cause: failure });
  channel.send("2");
  channel.flush();
  await channel.close();
  expect(recorder.closings).toHaveLength(1);
});

test("a failing input also closes the channel", async () => {
  const input = new PassThrough();
  const channel = streamChannel(input, collector().stream);
  const recorder = new Recorder(channel);
  input.destroy(new Error("read ECONNRESET"));
  expect(await recorder.reason()).toMatchObject({ code: "connection-closed" });
});

test("failures before open are reported at open", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const channel = streamChannel(input, output);
  input.destroy(new Error("early"));
  output.destroy(new Error("early"));
  await turn();
  expect(await new Recorder(channel).reason()).toMatchObject({ code: "connection-closed" });
});

test("while the backlog is full no message is delivered; afterwards all messages and the end are", async () => {
  const pending: (() => void)[] = [];
  const slow = new Writable({
    highWaterMark: 5,
    write: (_chunk, _encoding, done) => void pending.push(done),
  });
  const input = new PassThrough();
  const channel = streamChannel(input, slow, { backlog: 10 });
  const recorder = new Recorder(channel);
  recorder.message = (text) => {
    recorder.texts.push(text);
    channel.send("0123456789");
    channel.flush();
  };
  input.end("1\n2\n3");
  await turn();
  expect(recorder.texts).toEqual(["1"]);
  expect(recorder.closings).toEqual([]);
  while (recorder.closings.length === 0) {
    await turn();
    pending.shift()?.();
  }
  expect(recorder.texts).toEqual(["1", "2", "3"]);
  expect(recorder.closings).toEqual([undefined]);
});

test("the format goes over sockets as well", async () => {
  const listener = createServer((socket) => {
    const channel = streamChannel(socket, socket);
    const recorder = new Recorder(channel);
    recorder.message = (text) => channel.send(text.toUpperCase());
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void listener.close());
  const socket = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  const channel = streamChannel(socket, socket, { backlog: Infinity });
  const recorder = new Recorder(channel);
  channel.send("hello");
  await recorder.until(() => recorder.texts.length === 1);
  expect(recorder.texts).toEqual(["HELLO"]);
  await channel.close();
  expect(recorder.closings).toEqual([undefined]);
});
