/** Connections that send nothing, too little, or another peer's identity. */

import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { encodePacket } from "../../../src/node/network/discovery/packets.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import { AttackPeer } from "../attack-peer.js";
import { NETWORK_ID } from "../template.js";

async function dial(port: number, host: string): Promise<Socket | undefined> {
	const socket = connect({ port, host: "127.0.0.1", localAddress: host });
	socket.on("error", () => {});
	return new Promise((resolve) => {
		socket.once("connect", () => resolve(socket));
		socket.once("close", () => resolve(undefined));
	});
}

const silent: Attack = {
	name: "silent-connections",
	sends:
		"128 connections to the peer port from 8 addresses that say nothing; every second an honest peer tries",
	async run({ ports }, durationMs) {
		const sockets: Socket[] = [];
		const end = Date.now() + durationMs;
		const refill = (async () => {
			for (let n = 0; Date.now() < end; n++) {
				const open = sockets.filter(({ destroyed }) => !destroyed).length;
				if (open >= 128) {
					await sleep(50);
					continue;
				}
				const socket = await dial(ports.peer, attackerHost(n % 8));
				if (socket) sockets.push(socket);
				else await sleep(10);
			}
		})();
		const admitted: string[] = [];
		await sleep(2000);
		for (let n = 0; Date.now() < end; n++) {
			const peer = await AttackPeer.greet(ports, { host: attackerHost(300 + n) }).catch(() => undefined);
			admitted.push(peer?.hello ? "honest peer admitted" : "honest peer shut out");
			peer?.end();
			await sleep(1000);
		}
		await refill;
		for (const socket of sockets) socket.destroy();
		return tally(admitted);
	},
};

const kick: Attack = {
	name: "kick-peer",
	sends: "connections opened early that later claim the public id of an honest peer",
	async run({ ports }, durationMs) {
		const outcomes: string[] = [];
		const end = Date.now() + durationMs;
		for (let n = 0; Date.now() < end; n++) {
			const nodeId = new Uint8Array(randomBytes(64));
			const early = await AttackPeer.open(ports, { host: attackerHost(400 + n), nodeId });
			const honest = await AttackPeer.greet(ports, { host: attackerHost(100 + n), nodeId });
			await sleep(500);
			early.sayHello();
			await sleep(1000);
			outcomes.push(honest.gone === undefined ? "honest peer kept" : `honest peer gone: ${honest.gone}`);
			honest.end();
			early.end();
			await sleep(500);
		}
		return tally(outcomes);
	},
};

function idleHttp(name: string, addresses: number, count: number): Attack {
	return {
		name,
		sends: `${count} idle keep-alive connections to the HTTP server from ${addresses} address(es), renewed when closed`,
		async run({ ports }, durationMs) {
			const end = Date.now() + durationMs;
			const sockets = new Set<Socket>();
			for (let n = 0; Date.now() < end; n++) {
				if (sockets.size >= count) {
					await sleep(10);
					continue;
				}
				const socket = await dial(ports.http, attackerHost(n % addresses));
				if (!socket) {
					await sleep(10);
					continue;
				}
				sockets.add(socket);
				socket.on("close", () => sockets.delete(socket));
				socket.on("data", () => {});
				// Half of them have sent a request.
				if (n % 2 === 0) socket.write("GET /wallet/getnodeinfo HTTP/1.1\r\nhost: x\r\n\r\n");
			}
			const held = sockets.size;
			for (const socket of sockets) socket.destroy();
			return `${held} held at the end`;
		},
	};
}

const amplify: Attack = {
	name: "discovery",
	sends: "20,000 FIND_NEIGHBOURS and PING from 40 addresses that never prove themselves",
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		let sent = 0;
		let received = 0;
		for (let n = 0; n < 40 && Date.now() < end; n++) {
			const host = attackerHost(500 + n);
			const socket = createSocket("udp4");
			await new Promise<void>((resolve) => socket.bind(0, host, resolve));
			socket.on("message", (bytes) => {
				received += bytes.length;
			});
			const from = {
				ipv4: host,
				ipv6: "",
				port: socket.address().port,
				nodeId: new Uint8Array(randomBytes(64)),
			};
			for (let at = 0; at < 500; at++) {
				const timestampMs = BigInt(Date.now());
				const packet = encodePacket(
					at % 2 === 0
						? { kind: "ping", from, to: from, networkId: NETWORK_ID, timestampMs }
						: { kind: "findNode", from, target: new Uint8Array(randomBytes(64)), timestampMs },
				);
				sent += packet.length;
				socket.send(packet, ports.peer, "127.0.0.1");
			}
			await sleep(200);
			socket.close();
		}
		return `answered with ${(received / Math.max(1, sent)).toFixed(2)} times what was sent`;
	},
};

export const connections: readonly Attack[] = [
	silent,
	kick,
	idleHttp("idle-http", 1, 60),
	idleHttp("idle-http-many", 40, 300),
	amplify,
];
