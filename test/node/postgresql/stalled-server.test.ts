import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DatabaseWriter } from "../../../src/node/postgresql/database-writer.js";
import { DatabaseAway } from "../../../src/node/postgresql/failures.js";

/** Authentication is done, and the server is ready. */
const LOGGED_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

let server: Server;
let sockets: Socket[];
/** Called with each message of a client. */
let received: () => void;
beforeEach(async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	sockets = [];
	server = createServer((socket) => {
		sockets.push(socket);
		socket.on("error", () => {});
		socket.on("data", () => received());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
	vi.useRealTimers();
	for (const socket of sockets) socket.destroy();
	await new Promise((resolve) => server.close(resolve));
});

function writerTo(): DatabaseWriter {
	const { port } = server.address() as { port: number };
	const url = `postgres://anna@127.0.0.1:${port}/chain`;
	return new DatabaseWriter(
		{ url, passwordFile: undefined, schema: "a" },
		{ name: "events", steps: [["SELECT 1"]] },
	);
}

/** Resolves once the server has so many messages. */
const messages = (count: number, answers: readonly Buffer[] = []): Promise<void> =>
	new Promise((resolve) => {
		let seen = 0;
		received = () => {
			const answer = answers[seen++];
			if (answer) sockets[0]?.write(answer);
			if (seen === count) resolve();
		};
	});

it.each([
	["takes the connection and says nothing", 1, [], 10_000],
	["stops answering after the login", 2, [LOGGED_IN], 30_000],
] as const)(
	"a server that %s counts as away once its time is over",
	async (_name, count, answers, limitMs) => {
		const writer = writerTo();
		const asked = messages(count, answers);
		let failure: unknown;
		const opened = writer.open().catch((error: unknown) => {
			failure = error;
		});
		await asked;
		await vi.advanceTimersByTimeAsync(limitMs - 1);
		expect(failure).toBeUndefined();
		await vi.advanceTimersByTimeAsync(1);
		await opened;
		expect(failure).toBeInstanceOf(DatabaseAway);
		// Nothing of the session is left: a stalled server isn't waited for.
		const closed = writer.close();
		await vi.advanceTimersByTimeAsync(2_000);
		await closed;
		await new Promise((resolve) => setImmediate(resolve));
		vi.useRealTimers();
		await expect.poll(() => sockets[0]?.readableEnded || sockets[0]?.destroyed).toBe(true);
	},
);
