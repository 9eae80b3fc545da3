/** Where in the sources the energy of a transaction went: asked from a node that traces, with source maps of files. */

import { readFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { addressFromHash } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { TriggerSmartContract } from "../../protocol/messages.js";
import { compareCode } from "../../wallet/compiler/comparison.js";
import { type MappedCode, mappedCodes } from "../../wallet/compiler/mapped-code.js";
import { Failure } from "../../wallet/failure.js";
import { type Json, readJson } from "../../wallet/json.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { transactionFrom } from "../../wallet/transaction/transaction-view.js";
import { fetchContract } from "../../wallet/view/contract-record.js";
import { type EnergyByLine, energyByLine, type MappedCodeOf } from "../../wallet/view/energy-lines.js";
import { MAX_CONTRACTS } from "./call-trace.js";

export const sourceMapFlag = {
	"source-map": Flags.string({
		description:
			"file with source maps and sources, to show the energy by line: a build file of hardhat, or an artifact of tronbox or truffle; repeatable",
		helpValue: "<path>",
		multiple: true,
		multipleNonGreedy: true,
		helpGroup: "CONTRACT",
	}),
};

const MAX_FILE_BYTES = 256 << 20;

/** Operations with their stacks, which tell the address of a call. */
const OPERATIONS = { disableStorage: true, enableMemory: false };

/** Contracts of files. @throws {Failure} `bad_value` */
export async function sourceMapsOf(paths: readonly string[]): Promise<readonly MappedCode[]> {
	const lists = await Promise.all(paths.map(readMaps));
	return lists.flat();
}

async function readMaps(path: string): Promise<readonly MappedCode[]> {
	let text: Buffer;
	try {
		text = await readFile(path);
	} catch (error) {
		const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
		throw new Failure("bad_value", `${path} can't be read: ${reason}`);
	}
	if (text.length > MAX_FILE_BYTES)
		throw new Failure("bad_value", `${path} is larger than ${MAX_FILE_BYTES} bytes`);
	try {
		return mappedCodes(readJson(text.toString("utf8")));
	} catch (error) {
		if (error instanceof SyntaxError) throw new Failure("bad_value", `${path} is not JSON`);
		throw error;
	}
}

/**
 * Traces a transaction operation by operation.
 * @param ask asks a node by JSON-RPC
 * @throws {Failure} `not_found`
 */
export async function traceEnergyByLine(
	client: NodeClient,
	id: Uint8Array,
	ask: (method: string, params: readonly unknown[]) => Promise<Json>,
	maps: readonly MappedCode[],
): Promise<EnergyByLine> {
	const idHex = toHex(id);
	const { parameter } = transactionFrom(await client.call("gettransactionbyid", { value: idHex }), id);
	const root =
		parameter instanceof TriggerSmartContract ? toHex(parameter.contract_address.subarray(1)) : undefined;
	const answer = await ask("debug_traceTransaction", [`0x${idHex}`, OPERATIONS]);
	return energyByLine(answer, root, mappedCodeOf(client, maps));
}

function mappedCodeOf(client: NodeClient, maps: readonly MappedCode[]): MappedCodeOf {
	const known = new Map<string, Promise<MappedCode | undefined>>();
	return (address) => {
		const found = known.get(address);
		if (found) return found;
		if (known.size >= MAX_CONTRACTS) return Promise.resolve(undefined);
		const asked = deployedCode(client, address).then((deployed) =>
			maps.find(({ code }) => deployed && compareCode(code, deployed).match !== undefined),
		);
		known.set(address, asked);
		return asked;
	};
}

/** Undefined: there is no such contract any more. */
async function deployedCode(client: NodeClient, address: string): Promise<Uint8Array | undefined> {
	try {
		return (await fetchContract(client, addressFromHash(fromHex(address)))).runtimecode;
	} catch (error) {
		if (error instanceof Failure && error.code === "not_found") return undefined;
		throw error;
	}
}
