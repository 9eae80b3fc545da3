/** The cost of contract events, and of input from subscribers of the native queue. */

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GREETING } from "../../../src/node/events/receivers/zmtp.js";
import { concatBytes, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import {
	SmartContractABI,
	SmartContractABIEntry,
	SmartContractABIEntryEntryType,
	SmartContractABIEntryParam,
} from "../../../src/protocol/messages.js";
import { assemble } from "../../node/vm/assembler.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import type { Ports } from "../template.js";
import { creation, headOf, send } from "./transactions.js";

const publishing = ({ events }: Ports): string => {
	const topics = ["block", "transaction", "contractevent", "contractlog"].map(
		(name) => `{ triggerName = "${name}", enable = true, topic = "${name}" }`,
	);
	return `vm.saveInternalTx = true
		event.subscribe = {
			enable = true, version = 0
			native = { useNativeQueue = true, bindport = ${events}, sendqueuelength = 1000 }
			topics = [ ${topics.join(", ")} ]
		}`;
};

const SUBSCRIBER = concatBytes(
	GREETING,
	Uint8Array.of(4, 25),
	Uint8Array.of(5),
	utf8("READY"),
	Uint8Array.of(11),
	utf8("Socket-Type"),
	Uint8Array.of(0, 0, 0, 3),
	utf8("SUB"),
);

/** Subscribes to everything. @returns numbers of bytes and blocks received */
function subscribe(port: number): {
	readonly blocks: () => number;
	readonly bytes: () => number;
	end(): void;
} {
	const socket = connect(port, "127.0.0.1");
	let [blocks, bytes] = [0, 0];
	socket.on("error", () => {});
	socket.on("data", (chunk) => {
		bytes += chunk.length;
		blocks += chunk.toString("latin1").split('"triggerName":"blockTrigger"').length - 1;
	});
	socket.write(concatBytes(SUBSCRIBER, Uint8Array.of(0, 1, 1)));
	return { blocks: () => blocks, bytes: () => bytes, end: () => socket.destroy() };
}

/** An event with this many values, and code that logs the same bytes for all of them. */
function overlappingEvent(values: number, length: number): { code: string; abi: SmartContractABI } {
	const types = Array.from({ length: values }, () => "bytes");
	const inputs = types.map((type) => SmartContractABIEntryParam.create({ type, name: "a" }));
	const type = SmartContractABIEntryEntryType.Event;
	const abi = SmartContractABI.create({
		entrys: [SmartContractABIEntry.create({ type, name: "E", inputs })],
	});
	const topic = toHex(keccak256(utf8(`E(${types.join(",")})`)));
	const end = 32 * values;
	const code = assemble(`
		0x00 loop: 0x${end.toString(16)} DUP2 MSTORE 0x20 ADD 0x${end.toString(16)} DUP2 LT @loop JUMPI
		0x${length.toString(16)} 0x${end.toString(16)} MSTORE
		0x${topic} 0x${(end + 32 + length).toString(16)} 0x00 LOG1 STOP
	`);
	return { code: toHex(code), abi };
}

/** Calls with the same megabyte of memory. */
const repeatedInput = toHex(
	assemble(
		`0x0a loop: 0x00 0x00 0x100000 0x00 0x00 0x1234 0xffff CALL POP 0x01 SWAP1 SUB DUP1 @loop JUMPI STOP`,
	),
);

/** Calls of an address without code. */
const manyCalls = (calls: number): string =>
	toHex(
		assemble(
			`0x${calls.toString(16)} loop: 0x00 0x00 0x00 0x00 0x00 0x1234 0xff CALL POP 0x01 SWAP1 SUB DUP1 @loop JUMPI STOP`,
		),
	);

function bombs(
	name: string,
	sends: string,
	make: (n: number) => { code: string; abi?: SmartContractABI },
): Attack {
	return {
		name,
		sends,
		configuration: publishing,
		async run(victim, durationMs) {
			const subscriber = subscribe(victim.ports.events);
			const head = await headOf(victim);
			const outcomes: string[] = [];
			const end = Date.now() + durationMs;
			for (let number = 0; Date.now() < end; number++) {
				const { code, abi } = make(number);
				outcomes.push(await send(victim, creation(head, code, number, abi), attackerHost(0)));
				await sleep(100);
			}
			const before = subscriber.blocks();
			// Two slots: the events sent, and those of a later block.
			for (let turn = 0; turn < 100 && subscriber.blocks() < before + 2; turn++) await sleep(100);
			const goesOn = subscriber.blocks() >= before + 2;
			subscriber.end();
			// The queue has stopped for good.
			const worstMs = goesOn ? 0 : Number.POSITIVE_INFINITY;
			return { text: `${tally(outcomes)}; the queue ${goesOn ? "goes on" : "has ended"}`, worstMs };
		},
	};
}

const frames: Attack = {
	name: "queue-frames",
	sends:
		"64 KiB of empty frames again and again to the native event queue, over 4 connections opened again when closed",
	configuration: publishing,
	async run({ ports }, durationMs) {
		const end = Date.now() + durationMs;
		let closed = 0;
		const one = async (): Promise<void> => {
			while (Date.now() < end) {
				const socket = connect(ports.events, "127.0.0.1");
				let isOpen = true;
				socket.on("error", () => {});
				socket.on("close", () => {
					isOpen = false;
				});
				socket.write(SUBSCRIBER);
				while (isOpen && Date.now() < end) {
					socket.write(new Uint8Array(64 << 10));
					await sleep(20);
				}
				if (!isOpen) closed++;
				socket.destroy();
			}
		};
		await Promise.all([one(), one(), one(), one()]);
		return `disconnected ×${closed}`;
	},
};

export const events: readonly Attack[] = [
	bombs(
		"event-overlap",
		"creations that log 3,000 values of 120 KB, or 60 of 100 KB, all the same bytes, on a node that publishes events",
		(n) => (n % 2 === 0 ? overlappingEvent(3_000, 120_000) : overlappingEvent(60, 100_000)),
	),
	bombs(
		"event-calldata",
		"creations that make ten calls with a megabyte of the same memory, on a node that publishes transactions",
		() => ({ code: repeatedInput }),
	),
	bombs(
		"event-internals",
		"creations that make 13,000 or 27,000 calls, on a node that publishes transactions",
		(n) => ({ code: manyCalls(n % 2 === 0 ? 13_000 : 27_000) }),
	),
	frames,
];
