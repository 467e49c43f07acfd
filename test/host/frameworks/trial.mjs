// trial.mjs FRAMEWORK [SERVER [TRANSPORT]]: tries one framework, and sends the cells to the process that started it, or prints them.
import { servers, transports } from "./shared/server.mjs";
import { tried } from "./shared/cells.mjs";

const [name, server, transport] = process.argv.slice(2);
const { framework } = await import(`./${name}/adapter.mjs`);
// Frameworks leave rejected promises behind when a connection ends; they end no trial.
process.on("unhandledRejection", () => {});
for (const each of transport ? [transport] : transports)
  for (const one of server ? [server] : servers) {
    const trial = await tried(framework, one, each);
    const { cells, revision = "–" } = trial;
    if (process.send) process.send({ server: one, transport: each, ...trial });
    else {
      console.log(one, each, "revision", revision);
      for (const [column, { works, parts }] of Object.entries(cells))
        console.log(one, each, column, works ?? "lacks", JSON.stringify(parts) ?? "");
    }
  }
process.exit();
