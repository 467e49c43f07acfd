// Nothing is checked, and each request is written by itself.
import { clientByHand } from "./by-hand.mjs";
import { serveCalls } from "./calls.mjs";

const { call, close } = await clientByHand(
  (stdin) => (text) => stdin.write(text),
  () => true,
);
await serveCalls(call, close);
