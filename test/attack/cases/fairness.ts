/** One client that asks for all of what clients share, and another one that asks for a little. */

import { setTimeout as sleep } from "node:timers/promises";
import { toHex } from "../../../src/protocol/bytes.js";
import { assemble } from "../../node/vm/assembler.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import { constantCall, grpcCall, sessionFrom } from "./servers.js";

const LOOPING = constantCall(toHex(assemble("loop: @loop JUMP")));
const TRIVIAL = constantCall(toHex(assemble("STOP")));
const CALLS = 40;

const executions: Attack = {
	name: "call-turns",
	sends:
		"40 constant calls at once of one address that loop until their time ends; another address makes trivial ones",
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		const outcomes: string[] = [];
		const path = "/wallet/triggerconstantcontract";
		const loop = async (): Promise<void> => {
			while (Date.now() < end) {
				const text = await ask(ports.http, path, LOOPING, { host: attackerHost(0) }).catch(() => "closed");
				outcomes.push(text === "closed" ? text : "answered");
			}
		};
		const loops = Array.from({ length: CALLS }, loop);
		let worstMs = 0;
		await sleep(500);
		while (Date.now() < end) {
			const started = performance.now();
			await ask(ports.http, path, TRIVIAL, { host: attackerHost(1) });
			worstMs = Math.max(worstMs, performance.now() - started);
			await sleep(50);
		}
		await Promise.all(loops);
		return { text: tally(outcomes), worstMs };
	},
};

/** The empty message. */
const EMPTY_FRAME = Buffer.alloc(5);

const bucket: Attack = {
	name: "grpc-bucket",
	sends:
		"1,500 gRPC calls of one method at a time from one address over 15 connections; another address calls it, too",
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		const path = "/protocol.Wallet/GetAccount";
		let answered = 0;
		const sessions = Array.from({ length: 15 }, () => sessionFrom(ports.grpc, attackerHost(0)));
		for (const session of sessions) {
			session.on("error", () => {});
			const call = (): void => {
				if (session.destroyed || Date.now() > end) return;
				const stream = session.request({
					":method": "POST",
					":path": path,
					"content-type": "application/grpc",
					te: "trailers",
				});
				stream.on("error", () => {});
				stream.on("data", () => {});
				stream.on("close", () => {
					answered++;
					call();
				});
				stream.end(EMPTY_FRAME);
			};
			session.on("connect", () => {
				for (let n = 0; n < 100; n++) call();
			});
		}
		let worstMs = 0;
		await sleep(1_000);
		while (Date.now() < end) {
			const started = performance.now();
			await grpcCall(ports.grpc, path, EMPTY_FRAME, attackerHost(1));
			worstMs = Math.max(worstMs, performance.now() - started);
			await sleep(50);
		}
		for (const session of sessions) session.destroy();
		return { text: `${answered} answered`, worstMs };
	},
};

const items: Attack = {
	name: "grpc-items",
	sends: "BroadcastTransaction of 4 MB of empty results, one call at a time",
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		const frame = Buffer.concat([EMPTY_FRAME, Buffer.alloc(4_000_000, Buffer.of(0x2a, 0x00))]);
		frame.writeUInt32BE(4_000_000, 1);
		const outcomes: string[] = [];
		while (Date.now() < end) {
			outcomes.push(await grpcCall(ports.grpc, "/protocol.Wallet/BroadcastTransaction", frame));
		}
		return tally(outcomes);
	},
};

export const fairness: readonly Attack[] = [executions, bucket, items];
