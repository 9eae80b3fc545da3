/** Traffic on the chain under load: a token is deployed, and each block contains some transfers. */

import { contractAddress } from "../../src/protocol/address.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { sign } from "../../src/protocol/signature.js";
import coupon from "../../test/clients/contracts/Coupon.json" with { type: "json" };
import compiled from "../contracts/compiled.json" with { type: "json" };
import { ACCOUNTS, addressOf, keyOf } from "./served-chain.js";

const TRANSFERS_A_BLOCK = 20;

type Json = Record<string, unknown>;

async function post(url: string, body: object): Promise<Json> {
	const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
	return (await answer.json()) as Json;
}

async function signAndSend(url: string, transaction: Json, key: Uint8Array): Promise<void> {
	const signature = [toHex(sign(fromHex(transaction["txID"] as string), key))];
	const answer = await post(`${url}/wallet/broadcasttransaction`, { ...transaction, signature });
	if (answer["result"] !== true) throw new Error(`a transaction was refused: ${JSON.stringify(answer)}`);
}

const word = (value: number | bigint): string => value.toString(16).padStart(64, "0");

/** Deploys a contract. @returns its address, once it is in a block */
async function deploy(url: string, bytecode: string, parameter: string): Promise<Uint8Array> {
	const built = await post(`${url}/wallet/deploycontract`, {
		owner_address: toHex(addressOf(0)),
		...{ bytecode, parameter },
		fee_limit: 1_000_000_000,
		origin_energy_limit: 1_000_000,
		abi: "[]",
	});
	await signAndSend(url, built, keyOf(0));
	const address = contractAddress(fromHex(built["txID"] as string), addressOf(0));
	for (;;) {
		const known = await post(`${url}/wallet/getcontract`, { value: toHex(address) });
		if (known["bytecode"] !== undefined) return address;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

/** Deploys a token; the first account owns the whole supply. */
export function deployToken(url: string): Promise<Uint8Array> {
	const name = Buffer.from("Coupon").toString("hex").padEnd(64, "0");
	const parameter = [word(64), word(1_000_000), word(6), name].join("");
	return deploy(url, coupon.bytecode.slice(2), parameter);
}

/** Deploys a contract for CPU-bound calls. */
export const deployLoops = (url: string): Promise<Uint8Array> =>
	deploy(url, compiled.contracts.Loops.code, "");

/** Call data of `sort` for `length` numbers. */
export const sortOf = (length: number): string =>
	`${compiled.contracts.Loops.selectors["sort(uint256)"]}${word(length)}`;

/** Call data of `balanceOf`. */
export const balanceOf = (account: Uint8Array): string =>
	`70a08231${toHex(account.subarray(1)).padStart(64, "0")}`;

/** Fills the next block. */
export async function sendTransfers(url: string): Promise<void> {
	for (let i = 0; i < TRANSFERS_A_BLOCK; i++) {
		const from = 1 + ((Date.now() + i) % (ACCOUNTS - 1));
		const built = await post(`${url}/wallet/createtransaction`, {
			owner_address: toHex(addressOf(from)),
			to_address: toHex(addressOf((from + 1) % ACCOUNTS)),
			amount: 1 + i,
		});
		await signAndSend(url, built, keyOf(from));
	}
}
