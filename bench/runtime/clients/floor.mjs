// A hand-written client that checks nothing, and writes each request separately.
import { clientByHand } from "./by-hand.mjs";
import { serveCalls } from "./calls.mjs";

const { call, close } = await clientByHand(
  (stdin) => (text) => stdin.write(text),
  () => true,
);
await serveCalls(call, close);
