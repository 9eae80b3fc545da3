import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Systems give outgoing connections the ports from here on. */
const EPHEMERAL = 32_768;

/**
 * A port that nobody has at the moment. It is none that an outgoing connection may get before it is used: a node whose port for
 * peers is taken goes on without peers.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
	for (;;) {
		const port = randomInt(EPHEMERAL - 12_000, EPHEMERAL);
		const server = createServer();
		const isFree = await new Promise<boolean>((resolve) => {
			server.once("error", () => resolve(false)).listen(port, host, () => resolve(true));
		});
		if (!isFree) continue;
		await new Promise((resolve) => server.close(resolve));
		return port;
	}
}
