/** A development chain of this process behind its gateway, and the little that a client of it needs (protocol/development-chain §6). */

import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { chooseDevelopment, withServices } from "../../../../src/launch/development-options.js";
import { parseConfig } from "../../../../src/node/config/config.js";
import { prepareDevelopment } from "../../../../src/node/development/development.js";
import { readFounding } from "../../../../src/node/development/directory.js";
import { type NodePorts, type RunningNode, startNode } from "../../../../src/node/node.js";
import { toBase58Check } from "../../../../src/protocol/address.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { keccak256 } from "../../../../src/protocol/hash.js";
import { sign } from "../../../../src/protocol/signature.js";

export type Json = Record<string, unknown>;

export interface RpcAnswer {
	readonly result?: unknown;
	readonly error?: { readonly code: number; readonly message: string };
}

/** A compiled contract of the tests. */
export interface Artifact {
	readonly contractName: string;
	readonly abi: readonly object[];
	readonly bytecode: string;
}

export const STORE = JSON.parse(
	readFileSync(new URL("../../../commands/contracts/Store.json", import.meta.url), "utf8"),
) as Artifact;

export interface TestAccount {
	/** Base58. */
	readonly address: string;
	/** 21 bytes, hexadecimal. */
	readonly hex: string;
	readonly privateKey: Uint8Array;
}

const FEE_LIMIT_SUN = 1_000_000_000;

/** Hexadecimal of a number as a word of 32 bytes. */
export const word = (value: number | bigint): string => value.toString(16).padStart(64, "0");
const selector = (signature: string): string => toHex(keccak256(Buffer.from(signature)).subarray(0, 4));

export class DevelopmentNode {
	private constructor(
		private readonly node: RunningNode,
		readonly accounts: readonly TestAccount[],
		/** What the node logged: `[message, fields]`. */
		readonly log: readonly (readonly [message: string, fields: Json])[],
	) {}

	/**
	 * Starts a chain, or goes on with that of a directory.
	 * @param flags as on the command line, by name @param settings of a configuration file
	 */
	static async start(
		flags: Readonly<Record<string, string>> = {},
		settings = "storage {}",
	): Promise<DevelopmentNode> {
		const get = (name: string): string | undefined => ({ port: "0", ...flags })[name];
		const directory = flags["output-directory"];
		const founding = directory === undefined ? undefined : readFounding(directory);
		const { options, host, clockOffsetMs } = await chooseDevelopment(get, [], () => {}, [], founding);
		const prepared = prepareDevelopment(options);
		const development = { ...prepared, config: withServices(prepared.config, parseConfig(settings)) };
		const lines: [string, Json][] = [];
		const write = (fields: object, message: string): void => void lines.push([message, fields as Json]);
		const node = await startNode({
			config: development.config,
			dataDirectory: directory,
			producers: [],
			development,
			host,
			log: { info: write, warn: write, error: write },
			clock: () => BigInt(Date.now()) + clockOffsetMs,
			limitTime: false,
		});
		const accounts = options.accounts.map(({ address, privateKey }) => ({
			address: toBase58Check(address),
			hex: toHex(address),
			privateKey,
		}));
		return new DevelopmentNode(node, accounts, lines);
	}

	/** Ends the node. Internal errors that it logged fail the test. */
	async stop(): Promise<void> {
		await this.node.close();
		expect(this.log.filter(([message]) => message === "internal error")).toEqual([]);
	}

	get ports(): NodePorts {
		return this.node.ports;
	}

	get url(): string {
		return `http://127.0.0.1:${this.ports.gateway}`;
	}

	account(index: number): TestAccount {
		const account = this.accounts[index];
		if (!account) throw new Error(`there is no account ${index}`);
		return account;
	}

	get(path: string, headers: Record<string, string> = {}): Promise<Response> {
		return fetch(this.url + path, { headers });
	}

	async post(path: string, body: object): Promise<Json> {
		const answer = await fetch(this.url + path, { method: "POST", body: JSON.stringify(body) });
		return (await answer.json()) as Json;
	}

	/** A method of JSON-RPC, as tools call it. */
	rpc(method: string, params?: readonly unknown[], path = "/dev"): Promise<RpcAnswer> {
		return this.post(path, { id: 1, method, ...(params ? { params } : {}) });
	}

	/** The result of a method that succeeds. */
	async result(method: string, params?: readonly unknown[]): Promise<unknown> {
		const answer = await this.rpc(method, params, "/jsonrpc");
		expect({ method, error: answer.error }).toEqual({ method, error: undefined });
		return answer.result;
	}

	async head(): Promise<number> {
		return ((await this.result("dev_info")) as { head: number }).head;
	}

	/** Coins of an account, in sun. */
	async balance(address: string): Promise<number> {
		return ((await this.post("/wallet/getaccount", { address, visible: true }))["balance"] ?? 0) as number;
	}

	/** Builds a transaction, signs it, sends it. @returns the answer of the broadcast, with the transaction's id */
	async act(
		endpoint: string,
		body: object,
		signer: TestAccount | undefined = this.account(0),
	): Promise<Json> {
		const built = await this.post(`/wallet/${endpoint}`, {
			visible: true,
			owner_address: signer?.address,
			...body,
		});
		const transaction = (built["transaction"] ?? built) as Json;
		if (typeof transaction["txID"] !== "string") throw new Error(`${endpoint}: ${JSON.stringify(built)}`);
		return this.send(transaction, signer);
	}

	/** Signs and sends a transaction that the node built. @param signer undefined: it stays unsigned */
	async send(transaction: Json, signer: TestAccount | undefined): Promise<Json> {
		const txid = transaction["txID"] as string;
		const signature = signer ? [toHex(sign(fromHex(txid), signer.privateKey))] : [];
		return { ...(await this.post("/wallet/broadcasttransaction", { ...transaction, signature })), txid };
	}

	/** Deploys a contract. @returns its address, Base58 */
	async deploy({ abi, bytecode, contractName }: Artifact, parameter = ""): Promise<string> {
		const { txid } = await this.act("deploycontract", {
			abi: JSON.stringify(abi),
			bytecode: bytecode.replace(/^0x/, "") + parameter,
			name: contractName,
			fee_limit: FEE_LIMIT_SUN,
			call_value: 0,
			consume_user_resource_percent: 100,
			origin_energy_limit: 10_000_000,
		});
		const info = await this.info(String(txid));
		return toBase58Check(fromHex(String(info["contract_address"])));
	}

	/** Sends a transaction to a contract. @param parameter encoded, hexadecimal */
	trigger(contract: string, signature: string, parameter: string, more: object = {}): Promise<Json> {
		return this.act("triggersmartcontract", {
			contract_address: contract,
			function_selector: signature,
			parameter,
			fee_limit: FEE_LIMIT_SUN,
			call_value: 0,
			...more,
		});
	}

	/** The first word that a constant call answers. */
	async read(contract: string, signature: string): Promise<bigint> {
		const { constant_result } = (await this.post("/wallet/triggerconstantcontract", {
			visible: true,
			owner_address: this.account(0).address,
			contract_address: contract,
			data: selector(signature),
		})) as { constant_result?: string[] };
		return BigInt(`0x${constant_result?.[0]?.slice(0, 64)}`);
	}

	/** The receipt of a transaction. */
	info(txid: string): Promise<Json> {
		return this.post("/walletsolidity/gettransactioninfobyid", { value: txid });
	}
}

/** The arguments of `set(uint256,string)` of the contract Store. */
export const setArguments = (value: number): string =>
	`${word(value)}${word(64)}${word(1)}${Buffer.from("x").toString("hex").padEnd(64, "0")}`;
