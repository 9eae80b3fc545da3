/** A client that uses up shared resources, and another with modest requests. */

import { setTimeout as sleep } from "node:timers/promises";
import { toHex } from "../../../src/protocol/bytes.js";
import { assemble } from "../../node/vm/assembler.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import { EMPTY_FRAME, grpcCall, sessionFrom } from "../grpc-call.js";
import { constantCall } from "./servers.js";

const LOOPING = constantCall(toHex(assemble("loop: @loop JUMP")));
const TRIVIAL = constantCall(toHex(assemble("STOP")));
const CONSTANT_CALL = "/wallet/triggerconstantcontract";
const CALLS = 40;

const executions: Attack = {
	name: "call-turns",
	sends:
		"40 constant calls at once of one address that loop until their time ends; another address makes trivial ones",
	meanwhile: { server: "http", path: CONSTANT_CALL, body: TRIVIAL, host: attackerHost(1) },
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		const outcomes: string[] = [];
		const loop = async (): Promise<void> => {
			while (Date.now() < end) {
				const text = await ask(ports.http, CONSTANT_CALL, LOOPING, { host: attackerHost(0) }).catch(
					() => "closed",
				);
				outcomes.push(text === "closed" ? text : "answered");
			}
		};
		await Promise.all(Array.from({ length: CALLS }, loop));
		return tally(outcomes);
	},
};

const GET_ACCOUNT = "/protocol.Wallet/GetAccount";

const bucket: Attack = {
	name: "grpc-bucket",
	sends:
		"1,500 gRPC calls of one method at a time from one address over 15 connections; another address calls it, too",
	meanwhile: { server: "grpc", path: GET_ACCOUNT, host: attackerHost(1) },
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		let answered = 0;
		const sessions = Array.from({ length: 15 }, () => sessionFrom(ports.grpc, attackerHost(0)));
		for (const session of sessions) {
			session.on("error", () => {});
			const call = (): void => {
				if (session.destroyed || Date.now() > end) return;
				const stream = session.request({
					":method": "POST",
					":path": GET_ACCOUNT,
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
		await sleep(durationMs);
		for (const session of sessions) session.destroy();
		return `${answered} answered`;
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
