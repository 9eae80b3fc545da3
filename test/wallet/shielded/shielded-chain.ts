/** A development chain with a token, a contract that keeps notes of it, and proofs that cost nothing. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseDevelopment } from "../../../src/launch/development-options.js";
import { prepareDevelopment } from "../../../src/node/development/development.js";
import { startNode } from "../../../src/node/node.js";
import { contractAddress } from "../../../src/protocol/address.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { CreateSmartContract, SmartContract, TriggerSmartContract } from "../../../src/protocol/messages.js";
import { type SentResult, Wallet } from "../../../src/wallet/actions/wallet.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import { receiptView } from "../../../src/wallet/view/contract-outcome.js";
import { writeSimulatedKeys } from "./simulated-prover.js";

interface Bytecode {
	readonly Plain: string;
	readonly Shielded: string;
}

const bytecode = JSON.parse(
	readFileSync(new URL("contracts/Shielded.json", import.meta.url), "utf8"),
) as Bytecode;

export const word = (value: bigint): string => value.toString(16).padStart(64, "0");
export const addressWord = (address: Uint8Array): string => toHex(address.subarray(1)).padStart(64, "0");

/** So many units of the token are one of a note. */
export const FACTOR = 100n;
const SUPPLY = 1_000_000_000_000n;
const FEE_LIMIT = 10_000_000_000n;

export interface ShieldedChain {
	/** Wallets of funded accounts; the first deployed everything and has all tokens. */
	readonly people: readonly [Wallet, Wallet];
	/** Their private keys. */
	readonly keys: readonly Uint8Array[];
	readonly url: string;
	/** 21 bytes each. */
	readonly token: Uint8Array;
	readonly contract: Uint8Array;
	/** Calls a contract and waits; how it ended stands in the receipt's result. */
	call(by: Wallet, contract: Uint8Array, data: Uint8Array): Promise<{ result: string; reason?: string }>;
	stop(): Promise<void>;
}

/** A chain whose nodes take shielded transfers of its first token, too. */
export const POOL_TOKEN = "1000001";

/** @param parameters of the chain, beside the one that opens its own pool */
export async function startShieldedChain(parameterTexts: readonly string[] = []): Promise<ShieldedChain> {
	const folder = mkdtempSync(join(tmpdir(), "coin-shielded-"));
	const parameters = writeSimulatedKeys(join(folder, "params"));
	const { options } = await chooseDevelopment(
		(name) =>
			name === "accounts" ? "2" : name === "balance" ? "1000000coin" : name === "port" ? "0" : undefined,
		["allowShieldedTransaction=1", ...parameterTexts],
		() => {},
	);
	const development = prepareDevelopment(options);
	const node = await startNode({
		config: {
			...development.config,
			node: {
				...development.config.node,
				shielded: {
					...development.config.node.shielded,
					enabled: true,
					verifiesProofs: true,
					parameters,
				},
			},
		},
		development,
		dataDirectory: undefined,
		producers: [],
		limitTime: false,
		host: "127.0.0.1",
		log: { info: () => {}, warn: () => {}, error: () => {} },
	});
	const url = `http://127.0.0.1:${node.ports.gateway}`;
	const people = options.accounts.map(({ privateKey }) => new Wallet({ node: url, privateKey })) as [
		Wallet,
		Wallet,
	];
	const token = await deploy(people[0], bytecode.Plain + word(SUPPLY));
	const contract = await deploy(people[0], bytecode.Shielded + addressWord(token) + word(FACTOR));
	return {
		people,
		keys: options.accounts.map(({ privateKey }) => privateKey),
		url,
		token,
		contract,
		call: (by, called, data) => call(by, called, data),
		stop: async () => {
			await node.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function deploy(by: Wallet, code: string): Promise<Uint8Array> {
	const { owner } = await by.actor();
	const sent = await by.perform({
		...contractOf(CreateSmartContract, {
			owner_address: owner,
			new_contract: SmartContract.create({
				origin_address: owner,
				bytecode: fromHex(code),
				consume_user_resource_percent: 100n,
				origin_energy_limit: 10_000_000n,
			}),
		}),
		feeLimitSun: FEE_LIMIT,
	});
	await sent.wait();
	return contractAddress(fromHex(sent.txID), owner);
}

async function call(
	by: Wallet,
	contract: Uint8Array,
	data: Uint8Array,
): Promise<{ result: string; reason?: string }> {
	const { owner } = await by.actor();
	const sent = await by.perform({
		...contractOf(TriggerSmartContract, { owner_address: owner, contract_address: contract, data }),
		feeLimitSun: FEE_LIMIT,
		readReceipt: (receipt) => receiptView(receipt, undefined, []),
	});
	try {
		const { result } = (await sent.wait()) as SentResult;
		return { result: String(result) };
	} catch (error) {
		return { result: "refused", reason: (error as Error).message };
	}
}
