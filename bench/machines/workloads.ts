/** Programs for the machines to run. */

import { readFileSync } from "node:fs";
import { disassemble } from "../../src/node/vm/disassembler.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import type { BenchMachine } from "./machine.js";

/** What is counted: operations of the machine, or iterations of a contract call. */
export type Unit = "operations" | "runs";

export interface Workload {
	readonly name: string;
	readonly unit: Unit;
	/** Required ratio of our speed to the other machine's; 0 if none. */
	readonly demand: number;
	/** Prepares contracts. @returns a call, and its number of units */
	prepare(machine: BenchMachine): Promise<{ readonly units: number; call(round: number): unknown }>;
}

interface CompiledContracts {
	readonly contracts: Readonly<
		Record<string, { readonly code: string; readonly selectors: Readonly<Record<string, string>> }>
	>;
}

const compiled = JSON.parse(readFileSync("bench/contracts/compiled.json", "utf8")) as CompiledContracts;

const word = (value: bigint | number): string => value.toString(16).padStart(64, "0");

function dataOf(contract: string, signature: string, ...words: readonly string[]): Uint8Array {
	const selector = compiled.contracts[contract]?.selectors[signature];
	if (!selector) throw new Error(`${contract} has no ${signature}`);
	return fromHex(selector + words.join(""));
}

function deploy(machine: BenchMachine, contract: string, ...words: readonly string[]): Promise<Uint8Array> {
	return machine.deploy(fromHex((compiled.contracts[contract]?.code ?? "") + words.join("")));
}

/** `63 <rounds> 5b <body> 6001 90 03 80 6005 57 00`: counts down, running the body each time. */
function loop(name: string, body: string, rounds: number, demand: number): Workload {
	const operations = 7 + disassemble(fromHex(body)).length;
	const code = fromHex(`63${rounds.toString(16).padStart(8, "0")}5b${body}600190038060055700`);
	return {
		name,
		unit: "operations",
		demand,
		async prepare(machine) {
			const address = await machine.install(code);
			return { units: operations * rounds, call: () => machine.call(address, new Uint8Array(0)) };
		},
	};
}

/** Calls compiled code with an iteration count, and optionally a number that varies per call. */
function job(name: string, signature: string, rounds: number, demand: number): Workload {
	return {
		name,
		unit: "runs",
		demand,
		async prepare(machine) {
			const address = await deploy(machine, "Loops");
			const isVaried = signature.includes(",");
			const dataAt = (round: number): Uint8Array =>
				dataOf("Loops", signature, word(rounds), ...(isVaried ? [word(round)] : []));
			const same = dataAt(0);
			return { units: 1, call: (round) => machine.call(address, isVaried ? dataAt(round) : same) };
		},
	};
}

const wide = (byte: string): string => `7f${byte.repeat(32)}`;
const SUPPLY = 10n ** 33n;
/** More than any cache of the machine holds. */
const RECEIVERS = 4096;

const transfer: Workload = {
	name: "ORC-20 transfer",
	unit: "runs",
	demand: 3,
	async prepare(machine) {
		const holder = "22".repeat(20).padStart(64, "0");
		const token = await deploy(
			machine,
			"Token",
			word(96),
			holder,
			word(SUPPLY),
			word(1),
			"54".padEnd(64, "0"),
		);
		const receivers = Array.from({ length: RECEIVERS }, (_, i) =>
			dataOf(
				"Token",
				"transfer(address,uint256)",
				word((BigInt(i) + 1n) * 0x1234567890abcdefn),
				word(10n ** 18n),
			),
		);
		return { units: 1, call: (round) => machine.call(token, receivers[round % RECEIVERS] as Uint8Array) };
	},
};

const swap: Workload = {
	name: "automated-market swap",
	unit: "runs",
	demand: 3,
	async prepare(machine) {
		const market = await deploy(machine, "Market", word(SUPPLY));
		const approval = dataOf(
			"Token",
			"approve(address,uint256)",
			toHex(market).padStart(64, "0"),
			"f".repeat(64),
		);
		for (const token of ["first()", "second()"]) {
			const output = await machine.call(market, dataOf("Market", token));
			await machine.call(output.slice(12), approval);
		}
		const calls = [1, 0].map((firstIn) =>
			dataOf("Market", "swap(uint256,bool,uint256)", word(10n ** 20n), word(firstIn), word(0)),
		);
		return { units: 1, call: (round) => machine.call(market, calls[round % 2] as Uint8Array) };
	},
};

export const workloads: readonly Workload[] = [
	loop("countdown loop", "", 1_000_000, 10),
	loop("loop: arithmetic of small values", "80600702600b900450", 300_000, 10),
	loop("loop: comparisons and bits", "80601010816007161850", 300_000, 10),
	loop("loop: stack", "8080809190925050505f50", 300_000, 10),
	loop("loop: arithmetic of full-width values", `${wide("f1")}${wide("a5")}02810180191850`, 100_000, 0),
	loop(
		"loop: division of full-width values",
		`${wide("f1")}81${wide("a5")}0950${wide("f1")}${wide("13")}900450`,
		100_000,
		0,
	),
	loop("loop: memory words", "6040518060405250", 300_000, 0),
	loop("loop: copying 1 KiB of memory", "6104005f6104005e", 30_000, 0),
	// Different bytes each time.
	loop("loop: Keccak of 64 bytes", "805f5260405f2050", 50_000, 0),
	loop("loop: Keccak of 1 KiB", "6104005f2050", 10_000, 0),
	loop("loop: storage reads", "60055450", 100_000, 0),
	loop("loop: storage writes", "80600555", 50_000, 0),
	job("compiled: sort of 100 numbers", "sort(uint256)", 100, 3),
	job("compiled: chain of 100 hashes", "hashes(uint256,bytes32)", 100, 3),
	job("compiled: 100 entries of a mapping", "entries(uint256)", 100, 3),
	job("compiled: 100 calls", "calls(uint256)", 100, 3),
	transfer,
	swap,
];
