/** Transfers within a transaction: coins, ORC-10 tokens, and contract tokens according to their events. */

import { addressFromHash } from "../../protocol/address.js";
import { equalBytes, fromHex, fromKey, toKey } from "../../protocol/bytes.js";
import type { TransactionInfo, TransactionInfoLog } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { stores } from "../state/definition.js";
import type { TracedCall } from "../tracing/call-trace.js";
import type { RecordedChanges } from "./change-recorder.js";

/** A transfer; fees are not included. */
export interface Movement {
	readonly asset: "coin" | "token" | "orc20" | "orc721";
	/** Id of an ORC-10 token, or of an ORC-721 item. */
	readonly id?: string;
	/** For ORC-20 and ORC-721, 21 bytes. */
	readonly contract?: Uint8Array;
	/** 21 bytes; undefined: a stake, reward, exchange, order or issuance. */
	readonly from: Uint8Array | undefined;
	/** Undefined: one of the same. */
	readonly to: Uint8Array | undefined;
	/** In sun, or in units of the token. */
	readonly amount: bigint;
}

interface MovedBy {
	readonly transaction: SignedTransaction;
	readonly info: Readonly<TransactionInfo>;
	readonly changes: RecordedChanges;
	/** The call trace, if a contract ran. */
	readonly root: TracedCall | undefined;
	/** Receives fees on chains that don't burn them. */
	readonly blackHole: Uint8Array;
}

export function movementsOf(moved: MovedBy): Movement[] {
	return moved.root ? callMovements(moved.root) : balanceMovements(moved);
}

/** Calls that transfer value; other kinds only show their caller's value. */
const SENDING: ReadonlySet<string> = new Set(["CALL", "CALLTOKEN", "CREATE", "CREATE2", "SELFDESTRUCT"]);

/** In execution order. */
function callMovements(call: TracedCall): Movement[] {
	if (call.failure || call.reverted) return [];
	const movements: Movement[] = [];
	if (SENDING.has(call.kind)) {
		const ends = { from: call.caller, to: call.address };
		if (call.value > 0n) movements.push({ asset: "coin", ...ends, amount: call.value });
		if (call.token) {
			movements.push({ asset: "token", id: call.token.id.toString(), ...ends, amount: call.token.amount });
		}
		if (call.isEnd) {
			for (const [id, amount] of call.record?.tokens ?? []) {
				if (amount > 0n) movements.push({ asset: "token", id, ...ends, amount });
			}
		}
	}
	const logs = [...call.logs];
	for (const [position, inner] of call.calls.entries()) {
		for (let next = logs[0]; next && next.position <= position; next = logs[0]) {
			movements.push(...eventMovement(next.log));
			logs.shift();
		}
		movements.push(...callMovements(inner));
	}
	return [...movements, ...logs.flatMap(({ log }) => eventMovement(log))];
}

/** `Transfer(address,address,uint256)` of ORC-20 and ORC-721. */
export const TRANSFER_EVENT = fromHex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

const NOBODY = new Uint8Array(20);

/** ORC-20 has the amount as data; ORC-721 has the token id as a topic. */
function eventMovement({ address, topics, data }: Readonly<TransactionInfoLog>): Movement[] {
	const [kind, from, to, id] = topics;
	if (!kind || !from || !to || !equalBytes(kind, TRANSFER_EVENT)) return [];
	const ends = { contract: addressFromHash(bare(address)), from: holder(from), to: holder(to) };
	if (id && data.length === 0) return [{ asset: "orc721", id: word(id).toString(), ...ends, amount: 1n }];
	if (id || data.length !== 32) return [];
	return [{ asset: "orc20", ...ends, amount: word(data) }];
}

const bare = (address: Uint8Array): Uint8Array => address.subarray(-NOBODY.length);

/** The account of a topic; the zero address stands for minting and burning. */
function holder(topic: Uint8Array): Uint8Array | undefined {
	const account = bare(topic);
	return equalBytes(account, NOBODY) ? undefined : addressFromHash(account);
}

const word = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

/** Balance differences by account. */
type Differences = Map<string, bigint>;

const COIN = "";

/** For transactions without a contract call: balance differences besides the fee. */
function balanceMovements({ transaction, info, changes, blackHole }: MovedBy): Movement[] {
	const byAsset = new Map<string, Differences>();
	const differ = (asset: string, address: Uint8Array, amount: bigint): void => {
		if (amount === 0n) return;
		const differences: Differences = byAsset.get(asset) ?? new Map();
		byAsset.set(asset, differences.set(toKey(address), amount));
	};
	for (const address of changes.keysOf(stores.account)) {
		if (equalBytes(address, blackHole)) continue;
		const [was, is] = [changes.before.account.get(address), changes.after.account.get(address)];
		const fee = equalBytes(address, transaction.owner) ? info.fee : 0n;
		differ(COIN, address, (is?.balance ?? 0n) - (was?.balance ?? 0n) + fee);
		for (const id of new Set([...(was?.assetV2.keys() ?? []), ...(is?.assetV2.keys() ?? [])]))
			differ(id, address, (is?.assetV2.get(id) ?? 0n) - (was?.assetV2.get(id) ?? 0n));
	}
	return [...byAsset].flatMap(([asset, differences]) => paired(asset, differences));
}

/** If exactly one account lost what one other gained, it is a transfer between them. */
function paired(asset: string, differences: Differences): Movement[] {
	const kind = asset === COIN ? ({ asset: "coin" } as const) : ({ asset: "token", id: asset } as const);
	const all = [...differences];
	const [first, second] = all;
	if (first && second && all.length === 2 && first[1] === -second[1]) {
		const [giver, taker] = first[1] < 0n ? [first, second] : [second, first];
		return [{ ...kind, from: fromKey(giver[0]), to: fromKey(taker[0]), amount: taker[1] }];
	}
	return all.map(([key, amount]) =>
		amount < 0n
			? { ...kind, from: fromKey(key), to: undefined, amount: -amount }
			: { ...kind, from: undefined, to: fromKey(key), amount },
	);
}
