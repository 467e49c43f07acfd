// Loaded before a program that listens: sends the port to the process that started it, and ends with that process.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once("listening", () => process.send({ port: this.address().port }));
  return listen.apply(this, args);
};
process.once("disconnect", () => process.exit());
