/** NATS with JetStream, from its Go module. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { freePort } from "../free-port.js";
import { type Broker, cacheFolder, Daemon, type Held, kindOf, run, whenReady } from "./broker.js";

const VERSION = "v2.15.2";

/** @returns the program */
async function find(): Promise<string | undefined> {
	const folder = cacheFolder(`nats-${VERSION}`);
	const program = join(folder, "nats-server");
	const source = `github.com/nats-io/nats-server/v2@${VERSION}`;
	if (existsSync(program) || run("go", ["install", source], folder, { GOBIN: folder })) return program;
	return undefined;
}

async function start(program: string, folder: string): Promise<Broker> {
	const port = await freePort();
	const args = ["-js", "-sd", join(folder, "data"), "-a", "127.0.0.1", "-p", String(port)];
	const daemon = new Daemon(program, args, { port, log: join(folder, "nats.log") });
	const url = `127.0.0.1:${port}`;
	const begin = async (): Promise<void> => {
		await daemon.start();
		await whenReady(async () => {
			const connection = await connect({ servers: url });
			await jetstreamManager(connection).finally(() => connection.close());
		});
	};
	await begin();
	return {
		url,
		settings: () => `nats { server = "${url}" }`,
		kill: () => daemon.kill(),
		restart: begin,
		stop: () => daemon.kill(),
		read: () => readAll(url),
	};
}

/** All messages of all streams. */
async function readAll(url: string): Promise<readonly Held[]> {
	const connection = await connect({ servers: url });
	const held: Held[] = [];
	try {
		const manager = await jetstreamManager(connection);
		for await (const { config, state } of manager.streams.list()) {
			let missing = state.messages;
			if (missing === 0) continue;
			const consumer = await jetstream(connection).consumers.get(config.name);
			for await (const message of await consumer.consume()) {
				held.push({ ...message.json<Held>(), subject: message.subject });
				if (--missing === 0) break;
			}
		}
	} finally {
		await connection.close();
	}
	return held;
}

export const nats = kindOf({
	name: "nats",
	needs: "Go 1.25 or newer",
	find,
	start,
});
