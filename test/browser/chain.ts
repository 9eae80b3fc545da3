/**
 * Something to look at on a development chain: a payment with a note, a contract with its source, calls that log and that fail in
 * each way, an account with three keys, stakes, votes, a token, a proposal that changed a parameter.
 */

import { readFileSync } from "node:fs";
import { addressText, hexAddress } from "../../src/explorer/address-text.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { keccak256 } from "../../src/protocol/hash.js";
import { sign } from "../../src/protocol/signature.js";

export interface Chain {
	/** Base58Check. */
	readonly payer: string;
	readonly payee: string;
	readonly shared: string;
	readonly staker: string;
	readonly producer: string;
	readonly store: string;
	readonly hostile: string;
	readonly token: string;
	/** Id of a transfer of it. */
	readonly tokenPayment: string;
	/** Ids of transactions. */
	readonly payment: string;
	readonly called: string;
	readonly custom: string;
	readonly panic: string;
	readonly reverted: string;
	readonly twoKeys: string;
	readonly reason: string;
}

type Json = Readonly<Record<string, unknown>>;

const REASON = "no <b>x</b>";
const PRODUCER_KEY = `${"0".repeat(63)}1`;
const DAYS_MS = 4 * 86_400_000;

const word = (value: string | number): string =>
	(typeof value === "number" ? value.toString(16) : value).padStart(64, "0");
const text = (value: string): string =>
	word(value.length) + Buffer.from(value).toString("hex").padEnd(64, "0");
const selector = (signature: string): string => toHex(keccak256(Buffer.from(signature)).subarray(0, 4));
const set = (value: number, note: string): string =>
	`0x${selector("set(uint256,string)")}${word(value)}${word(64)}${text(note)}`;

const contracts = new URL("../commands/contracts/", import.meta.url);
const artifact = JSON.parse(readFileSync(new URL("Store.json", contracts), "utf8")) as {
	readonly abi: object[];
	readonly bytecode: string;
};

/** Code that reverts with a reason that would be HTML. */
function hostileCode(): string {
	const error = `08c379a0${word(32)}${text(REASON)}`;
	const stores = (error.match(/.{1,64}/g) ?? []).map(
		(part, index) => `7f${part.padEnd(64, "0")}60${(index * 32).toString(16).padStart(2, "0")}52`,
	);
	const runtime = `${stores.join("")}60646000fd`;
	const size = (runtime.length / 2).toString(16).padStart(4, "0");
	return `0x61${size}600e60003961${size}6000f3${runtime}`;
}

/** What a compiler and somebody who compared would store with the node. */
function sourceRecord(): string {
	const number = { encoding: "inplace", label: "uint256", numberOfBytes: "32" };
	return JSON.stringify({
		contract: "Store.sol:Store",
		compiler: "0.8.37",
		match: "exact",
		language: "Solidity",
		settings: {},
		sources: { "Store.sol": readFileSync(new URL("Store.sol", contracts), "utf8") },
		abi: artifact.abi,
		storage_layout: {
			storage: [
				{ label: "value", slot: "0", offset: 0, type: "t_uint256" },
				{ label: "paid", slot: "1", offset: 0, type: "t_mapping" },
			],
			types: {
				t_uint256: number,
				t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
				t_mapping: {
					encoding: "mapping",
					key: "t_address",
					value: "t_uint256",
					label: "mapping(address => uint256)",
					numberOfBytes: "32",
				},
			},
		},
	});
}

class Maker {
	constructor(private readonly gateway: string) {}

	async post(path: string, body: object): Promise<Json> {
		const answer = await fetch(this.gateway + path, { method: "POST", body: JSON.stringify(body) });
		return (await answer.json()) as Json;
	}

	async ask(method: string, params: readonly unknown[] = []): Promise<unknown> {
		const answer = await this.post("/jsonrpc", { jsonrpc: "2.0", id: 1, method, params });
		if (answer["error"]) throw new Error(`${method}: ${JSON.stringify(answer["error"])}`);
		return answer["result"];
	}

	/** Builds, signs and sends. @returns the transaction's id */
	async send(endpoint: string, parameters: object, ...keys: readonly string[]): Promise<string> {
		const built = await this.post(`/wallet/${endpoint}`, { visible: true, ...parameters });
		const id = String(built["txID"]);
		if (built["txID"] === undefined) throw new Error(`${endpoint}: ${JSON.stringify(built)}`);
		const signature = keys.map((key) => toHex(sign(fromHex(id), fromHex(key))));
		const answer = await this.post("/wallet/broadcasttransaction", { ...built, signature });
		if (answer["result"] !== true) throw new Error(`${endpoint}: ${JSON.stringify(answer)}`);
		return id;
	}
}

interface Keyed {
	readonly address: string;
	readonly key: string;
}

/** A parameter changed by a proposal; stakes and votes of an account. @returns the producer's address */
async function proposeAndVote(maker: Maker, { address, key }: Keyed): Promise<string> {
	const { witnesses } = await maker.post("/wallet/listwitnesses", { visible: true });
	const producer = addressText((witnesses as { address: string }[])[0]?.address ?? "") ?? "";
	const parameters = [{ key: 11, value: 110 }];
	await maker.send("proposalcreate", { owner_address: producer, parameters }, PRODUCER_KEY);
	const approval = { owner_address: producer, proposal_id: 1, is_add_approval: true };
	await maker.send("proposalapprove", approval, PRODUCER_KEY);
	await maker.ask("dev_increaseTime", [DAYS_MS]);
	await maker.ask("dev_maintenance");
	const owner = { owner_address: address };
	await maker.send("freezebalancev2", { ...owner, frozen_balance: 50_000_000, resource: "ENERGY" }, key);
	await maker.send("freezebalancev2", { ...owner, frozen_balance: 20_000_000, resource: "BANDWIDTH" }, key);
	await maker.send(
		"unfreezebalancev2",
		{ ...owner, unfreeze_balance: 5_000_000, resource: "BANDWIDTH" },
		key,
	);
	const votes = [{ vote_address: producer, vote_count: 60 }];
	await maker.send("votewitnessaccount", { ...owner, votes }, key);
	return producer;
}

/** @returns its number */
async function issueToken(maker: Maker, { address, key }: Keyed): Promise<string> {
	const now = Number(((await maker.ask("dev_info")) as { headTime: number }).headTime);
	const token = {
		owner_address: address,
		name: "Acorns",
		abbr: "ACRN",
		total_supply: 1_000_000,
		precision: 2,
		coin_num: 1,
		trx_num: 1,
		num: 1,
		start_time: now + 60_000,
		end_time: now + DAYS_MS,
		description: "<i>nuts</i>",
		url: "javascript:alert(1)",
		free_asset_net_limit: 0,
		public_free_asset_net_limit: 0,
	};
	await maker.send("createassetissue", token, key);
	const { assetIssue } = await maker.post("/wallet/getassetissuelist", {});
	return String((assetIssue as { id: string }[])[0]?.id);
}

/** Gives an account three keys of which two are needed, and sends with two. @returns the transfer's id */
async function threeKeys(maker: Maker, shared: Keyed, others: readonly Keyed[], to: string): Promise<string> {
	const keys = [shared, ...others].map(({ address }, index) => ({ address, weight: index === 0 ? 2 : 1 }));
	const permission = { threshold: 3, keys };
	await maker.ask("dev_setPermission", [shared.address, { owner: permission, actives: [permission] }]);
	const transfer = { owner_address: shared.address, to_address: to, amount: 1_000_000 };
	return maker.send("createtransaction", transfer, shared.key, others[0]?.key ?? "");
}

/** @param gateway address of a development chain that has nothing yet */
export async function makeChain(gateway: string): Promise<Chain> {
	const maker = new Maker(gateway);
	const accounts = (await maker.ask("dev_accounts")) as { address: string; privateKey: string }[];
	const account = (index: number) => {
		const { address, privateKey } = accounts[index] as { address: string; privateKey: string };
		return { address, key: privateKey.replace(/^0x/, "") };
	};
	const [payer, payee, shared, staker] = [account(0), account(1), account(2), account(3)];
	const producer = await proposeAndVote(maker, staker);
	const payment = await maker.send(
		"createtransaction",
		{
			owner_address: payer.address,
			to_address: payee.address,
			amount: 12_500_000,
			extra_data: "rent for May",
		},
		payer.key,
	);
	const token = await issueToken(maker, payer);
	const acorns = { owner_address: payer.address, to_address: payee.address, asset_name: token, amount: 1234 };
	const tokenPayment = await maker.send("transferasset", acorns, payer.key);
	const twoKeys = await threeKeys(maker, shared, [payer, payee], payee.address);
	const from = `0x${hexAddress(payer.address)?.slice(2)}`;
	const call = async (parameters: object): Promise<string> =>
		String(await maker.ask("eth_sendTransaction", [{ from, gas: "0x4c4b40", ...parameters }])).slice(2);
	const deploy = async (data: string): Promise<string> => {
		const id = await call({ data });
		const receipt = await maker.ask("eth_getTransactionReceipt", [`0x${id}`]);
		return (receipt as { contractAddress: string }).contractAddress;
	};
	const store = await deploy(`0x${artifact.bytecode.replace(/^0x/, "")}${word(3)}`);
	await maker.ask("dev_setContractSource", [store, sourceRecord()]);
	const hostile = await deploy(hostileCode());
	const called = await call({ to: store, data: set(7, "seven"), value: "0x5" });
	const custom = await call({ to: store, data: set(5_000, "much") });
	const panic = await call({ to: store, data: `0x${selector("div(uint256,uint256)")}${word(1)}${word(0)}` });
	const reverted = await call({ to: hostile, data: "0x01" });
	return {
		payer: payer.address,
		payee: payee.address,
		shared: shared.address,
		staker: staker.address,
		producer,
		store: addressText(store) ?? "",
		hostile: addressText(hostile) ?? "",
		token,
		tokenPayment,
		payment,
		called,
		custom,
		panic,
		reverted,
		twoKeys,
		reason: REASON,
	};
}
