// A hand-written client that checks every response, and writes the requests of one turn of the event loop
// together.
import { clientByHand } from "./by-hand.mjs";
import { serveCalls } from "./calls.mjs";

function coalescing(stdin) {
  let out = "";
  const flush = () => {
    stdin.write(out);
    out = "";
  };
  return (text) => {
    if (out === "") setImmediate(flush);
    out += text;
  };
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAnswer(message) {
  if (!isObject(message) || message.jsonrpc !== "2.0" || !Number.isInteger(message.id)) return false;
  const { result } = message;
  if (!isObject(result)) return false;
  const { content } = result;
  if (content === undefined) return true;
  return (
    Array.isArray(content) &&
    content.every((block) => isObject(block) && block.type === "text" && typeof block.text === "string")
  );
}

const { call, close } = await clientByHand(coalescing, isAnswer);
await serveCalls(call, close);
