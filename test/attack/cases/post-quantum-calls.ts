/**
 * Precompiles of post-quantum signatures, in calls that spend nobody's energy: right signatures, again and again, since a wrong one is
 * found out sooner.
 */

import { be32, concatBytes, toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { postQuantumAlgorithm } from "../../../src/protocol/post-quantum/algorithms.js";
import {
	addressOfPostQuantumKey,
	FN_DSA_512,
	ML_DSA_44,
} from "../../../src/protocol/post-quantum/schemes.js";
import { assemble } from "../../node/vm/assembler.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, type Probe, tally } from "../attack.js";
import { configuration, entryOf, fromAll, JSON_TYPE, OWNER, own, takeKeys } from "./post-quantum.js";
import { constantCall } from "./servers.js";

const word = (value: number): Uint8Array => concatBytes(new Uint8Array(28), be32(value));
const padded = (bytes: Uint8Array): Uint8Array =>
	concatBytes(word(bytes.length), bytes, new Uint8Array((32 - (bytes.length % 32)) % 32));

/** A list of the same bytes: offsets that all point to one element. */
const repeated = (bytes: Uint8Array, count: number): Uint8Array =>
	concatBytes(word(count), ...Array.from({ length: count }, () => word(count * 32)), padded(bytes));

const listOf = (each: readonly Uint8Array[]): Uint8Array => {
	const elements = each.map(padded);
	let at = 32 * each.length;
	const offsets = elements.map(({ length }) => {
		at += length;
		return word(at - length);
	});
	return concatBytes(word(each.length), ...offsets, ...elements);
};

/** Arguments: a head of words, in which the lists stand as offsets, and the lists. */
function encoded(head: readonly Uint8Array[], lists: readonly Uint8Array[]): Uint8Array {
	let at = 32 * (head.length + lists.length);
	const offsets = lists.map(({ length }) => {
		at += length;
		return word(at - length);
	});
	return concatBytes(...head, ...offsets, ...lists);
}

/** The same right signature of a word of zeros, so often. */
function batchOf(signature: Uint8Array, key: Uint8Array, count: number): Uint8Array {
	const signer = concatBytes(new Uint8Array(12), addressOfPostQuantumKey(key).subarray(1));
	const signers = concatBytes(word(count), ...Array.from({ length: count }, () => signer));
	return encoded([word(0)], [repeated(signature, count), repeated(key, count), signers]);
}

/** As a precompile takes it: without its header byte, filled up with zeros. */
const falconSlot = (signature: Uint8Array): Uint8Array =>
	concatBytes(signature.subarray(1), new Uint8Array(FN_DSA_512.longestSignature - signature.length));

/** The five keys of the attacker's account, all of which sign. */
function approvals(): Uint8Array {
	const message = sha256(concatBytes(OWNER, be32(0), word(0)));
	const { sign, keysOfSeed } = postQuantumAlgorithm(ML_DSA_44);
	const signatures = own.map((_, n) => sign(message, keysOfSeed(new Uint8Array(32).fill(n + 1)).privateKey));
	const schemes = concatBytes(word(5), ...own.map(() => word(ML_DSA_44.id)));
	return encoded(
		[concatBytes(new Uint8Array(11), OWNER), word(0), word(0)],
		[word(0), schemes, listOf(signatures), listOf(own.map(({ public_key }) => public_key))],
	);
}

/** Input of a precompile, which verifies as much as one of it can. @param count of the signatures of a batch */
function inputOf(precompile: string, count: number): Uint8Array {
	if (precompile === "0x0200001a") return approvals();
	if (precompile === "0x02000017") {
		const algorithm = postQuantumAlgorithm(FN_DSA_512);
		const { publicKey, privateKey } = algorithm.keysOfSeed(new Uint8Array(48).fill(1));
		return batchOf(falconSlot(algorithm.sign(word(0), privateKey)), publicKey, count);
	}
	const { signature, public_key } = entryOf(1);
	if (precompile === "0x02000018") return concatBytes(word(0), signature, public_key);
	return batchOf(signature, public_key, count);
}

/** Code that ends with the input of a precompile. @param body what it does; `LENGTH` bytes of input lie in memory */
function withInput(precompile: string, body: string, count = 16): string {
	const input = inputOf(precompile, count);
	const length = `0x${toHex(be32(input.length)).slice(2)}`;
	const code = (at: number): Uint8Array =>
		assemble(`${length} 0x${toHex(be32(at)).slice(4)} 0x00 CODECOPY ${body.replaceAll("LENGTH", length)}`);
	return toHex(concatBytes(code(code(0).length), input));
}

/** Verifies right signatures again and again. */
const looping = (precompile: string): string =>
	withInput(precompile, `loop: 0x00 0x00 LENGTH 0x00 0x00 ${precompile} GAS CALL POP @loop JUMP`);

/** Verifies once, one signature of a batch, and returns the word that comes of it. */
const once = (precompile: string): string =>
	withInput(
		precompile,
		`0x00 0x00 MSTORE8 0x20 0x00 LENGTH 0x00 0x00 ${precompile} GAS CALL POP 0x20 0x00 RETURN`,
		1,
	);

const machine: Attack = {
	name: "pq-precompiles",
	sends: "constant calls that give 0x02000018 a right signature again and again, from 6 clients",
	configuration,
	meanwhile: {
		server: "http",
		path: "/wallet/triggerconstantcontract",
		body: constantCall(toHex(assemble("STOP"))),
		host: attackerHost(100),
	},
	async run({ ports }, durationMs) {
		const body = constantCall(looping("0x02000018"));
		const once = (_: number, host: string): Promise<string> =>
			ask(ports.http, "/wallet/triggerconstantcontract", body, { host, timeoutMs: 30_000 }).then(
				() => "answered",
				(error: Error) => `closed (${error.message})`,
			);
		// Clients take turns, and each call may take its whole time: more of them make others wait longer, whatever they call.
		return fromAll(durationMs, once, 6);
	},
};

/** Calls that verify, by all ways that give none of their own energy. */
const estimates: Attack = {
	name: "pq-estimates",
	sends:
		"triggerconstantcontract, estimateenergy, eth_estimateGas and batches of it that give 0x02000019 sixteen right signatures again and again, from 4 clients",
	configuration: () => `${configuration()}, vm.estimateEnergy = true, vm.supportConstant = true`,
	meanwhile: machine.meanwhile as Probe,
	async run({ ports }, durationMs) {
		const code = looping("0x02000019");
		const call = { from: "0x0000000000000000000000000000000000000001", data: `0x${code}` };
		const rpc = (method: string, params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });
		const batch = Array.from({ length: 8 }, () => rpc("eth_estimateGas", [call]));
		const ways = [
			{ port: ports.http, path: "/wallet/triggerconstantcontract", body: constantCall(code) },
			{ port: ports.http, path: "/wallet/estimateenergy", body: constantCall(code) },
			{ port: ports.jsonrpc, path: "/jsonrpc", body: JSON.stringify(rpc("eth_estimateGas", [call])) },
			{ port: ports.jsonrpc, path: "/jsonrpc", body: JSON.stringify(batch) },
		];
		const answers = await Promise.all(
			ways.map(async ({ port, path, body }, n) => {
				const outcomes: string[] = [];
				for (const end = Date.now() + durationMs; Date.now() < end; ) {
					const options = { host: attackerHost(n), headers: JSON_TYPE, timeoutMs: 30_000 };
					outcomes.push(
						await ask(port, path, body, options).then(
							(text) => /"message": ?"([^"]{0,30})/.exec(text)?.[1] ?? "answered",
							(error: Error) => `closed (${error.message})`,
						),
					);
				}
				return outcomes;
			}),
		);
		return answers.map((outcomes) => tally(outcomes)).join("; ");
	},
};

/** What a precompile answers where its signatures are right, one of a batch. */
const ALL_RIGHT: Readonly<Record<string, string>> = {
	"0x02000017": `01${"00".repeat(31)}`,
	"0x0200001a": `${"00".repeat(31)}01`,
};

const batches: Attack = {
	name: "pq-batches",
	sends:
		"constant calls that give 0x02000017 sixteen right Falcon signatures and 0x0200001a an account's five ML-DSA ones again and again, from 6 clients",
	configuration,
	meanwhile: machine.meanwhile as Probe,
	async run(victim, durationMs) {
		await takeKeys(victim);
		const call = (code: string, host: string): Promise<string> =>
			ask(victim.ports.http, "/wallet/triggerconstantcontract", constantCall(code), {
				host,
				timeoutMs: 30_000,
			});
		const names = Object.keys(ALL_RIGHT);
		for (const name of names) {
			// The first calls of a node are slow, and their time is bounded.
			let answer = "";
			for (let tries = 0; tries < 40 && !answer.includes(ALL_RIGHT[name] as string); tries++)
				answer = await call(once(name), attackerHost(50));
			if (!answer.includes(ALL_RIGHT[name] as string)) throw new Error(`${name} verifies nothing: ${answer}`);
		}
		const codes = names.map(looping);
		return fromAll(
			durationMs,
			(number, host) =>
				call(codes[number % codes.length] as string, host).then(
					() => "answered",
					(error: Error) => `closed (${error.message})`,
				),
			6,
		);
	},
};

export const postQuantumCalls: readonly Attack[] = [machine, estimates, batches];
