// Loaded before a program that listens: tells the process that started it where, and ends with that.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once("listening", () => process.send({ port: this.address().port }));
  return listen.apply(this, args);
};
process.once("disconnect", () => process.exit());
