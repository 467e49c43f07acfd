// A client that starts the server given as arguments, prints its process id, and then does as its arguments say.
import { stdioClientChannel, type Command } from "../../../../runtime/core/stdio.js";

const [, , fate, ...command] = process.argv;
const channel = stdioClientChannel(command as unknown as Command);
channel.open({
  message(text) {
    console.log(channel.pid, text);
    if (fate === "throw") throw new Error("thrown on request");
    if (fate === "exit") process.exit(5);
  },
  turn() {},
  tooLong() {},
  closed() {},
});
