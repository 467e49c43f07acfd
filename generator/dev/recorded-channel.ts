import type { Channel, Recording } from "../capture/runtime.js";
import { secrets } from "../secrets/secrets.js";
import type { WriteRoot } from "../files/write-root.js";
import { writeFiles } from "../files/writer.js";

/**
 * The channel to a server, recorded. The file is replaced when the channel closes, so that it holds the whole session with
 * the last server: its handshake, too, which the proxy repeats after a restart. A recording at the client's end could not
 * be replayed, because it has answers of several servers. The file holds no secret that mcpgen knows.
 */
export function recorded(channel: Channel, recording: Recording, root: WriteRoot, name: string): Channel {
  const wrapped = recording.of(channel, "client");
  return {
    open: (receiver) => wrapped.open(receiver),
    send: (text) => wrapped.send(text),
    flush: () => wrapped.flush(),
    close: async () => {
      await wrapped.close();
      // Messages hold what users and servers tell each other.
      writeFiles(root, [{ path: name, content: secrets.hide(recording.toString()), isPrivate: true }]);
    },
  };
}
