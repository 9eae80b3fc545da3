/** Determines whose signatures an envelope needs and has: from the node, or offline from the envelope (protocol/wallet-formats §4.2). */

import { toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { Account, Key, Permission, PermissionPermissionTypeEnum } from "../../protocol/messages.js";
import { Failure, onRefusal } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member, readJson } from "../json.js";
import { fetchAccount, fetchGenesisId, fetchHead } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { type TransactionEnvelope, writeEnvelope } from "../transaction/envelope.js";
import { countedTime } from "../transaction/lifetime.js";
import { readAddress } from "../values/address-text.js";
import { utcTime } from "../values/moment.js";
import { type Approval, checkPermission, permissionOf, samePermission, weigh } from "./permission.js";

export interface Authority {
	readonly permission: Readonly<Permission>;
	readonly approval: Approval;
	/** Genesis block id; from the envelope if no node was asked. */
	readonly chain: Uint8Array | undefined;
	/** Origin of the permission; one from the envelope is unverified. */
	readonly source: "node" | "envelope";
	/** Whether the account's permission differs from the one in the envelope. */
	readonly changed: boolean;
	/** The current time of the chain; the local clock if no node was asked. */
	readonly nowMs: bigint;
	/** Timestamp of the newest block; undefined if no node was asked. */
	readonly chainMs?: bigint;
}

/**
 * Fetches the authority from a node.
 * @throws {Failure} `wrong_network`, `not_found`, `not_authorized`
 */
export async function authorityAtNode(envelope: TransactionEnvelope, client: NodeClient): Promise<Authority> {
	if (envelope.owner.length === 0)
		throw new Failure("not_authorized", "notes pay in this transaction: nobody signs it", {
			hint: "coin wallet broadcast sends it",
		});
	const [{ chain, nowMs, chainMs }, stored] = await Promise.all([
		chainOf(envelope, client),
		fetchAccount(client, envelope.owner),
	]);
	if (!stored)
		throw new Failure(
			"not_found",
			`the account ${toBase58Check(envelope.owner)} does not exist on this chain`,
		);
	const permission = authorising(envelope, stored);
	const carried = carriedPermission(envelope);
	return {
		permission,
		approval: weigh(permission, envelope.signers),
		chain,
		source: "node",
		changed: carried !== undefined && !samePermission(carried, permission),
		nowMs,
		chainMs,
	};
}

/** The chain that an envelope is for, and its times, as in {@link Authority}. @throws {Failure} `wrong_network` */
export async function chainOf(
	envelope: TransactionEnvelope,
	client: NodeClient,
): Promise<{ readonly chain: Uint8Array; readonly nowMs: bigint; readonly chainMs: bigint }> {
	const [chain, head] = await Promise.all([fetchGenesisId(client), fetchHead(client)]);
	const named = member(envelope.coin, "chain");
	if (typeof named === "string" && named !== toHex(chain)) {
		throw new Failure(
			"wrong_network",
			`the transaction is for the chain ${named}, the node serves ${toHex(chain)}`,
		);
	}
	const chainMs = head.timestampMs;
	const end = envelope.transaction.raw?.expiration ?? 0n;
	return { chain, nowMs: await countedTime(client, chainMs, end, Date.now()), chainMs };
}

/** The weight of an envelope's signatures as counted by a node; undefined if the node doesn't count. */
export async function countedByNode(
	envelope: TransactionEnvelope,
	client: NodeClient,
): Promise<(Pick<Approval, "weight" | "ready"> & { readonly message: string }) | undefined> {
	const request = readJson(writeEnvelope(envelope, undefined)) as JsonRecord;
	const answer = await client
		.call("getsignweight", request)
		.catch(onRefusal(undefined, "not_served", "rpc_error"));
	const { current_weight: weight, result } = answer ?? {};
	if (!isRecord(result)) return undefined;
	const { code, message } = result;
	return {
		weight: typeof weight === "bigint" ? weight : 0n,
		// A reached threshold is code 0, which the response omits.
		ready: code === undefined || code === "ENOUGH_PERMISSION",
		message: String(message ?? ""),
	};
}

/**
 * Takes the authority from the envelope, unverified.
 * @throws {Failure} `usage` if it carries no permission, `not_authorized`
 */
export function authorityOfEnvelope(envelope: TransactionEnvelope, nowMs: number): Authority {
	const carried = carriedPermission(envelope);
	if (!carried) {
		throw new Failure(
			"usage",
			"without a node, the envelope itself must carry the permission, and it doesn't",
		);
	}
	const permission = checkPermission(carried, envelope.permissionId, envelope.type.id);
	const chain = member(envelope.coin, "chain");
	return {
		permission,
		approval: weigh(permission, envelope.signers),
		chain: typeof chain === "string" && /^[0-9a-f]{64}$/.test(chain) ? fromHex(chain) : undefined,
		source: "envelope",
		changed: false,
		nowMs: BigInt(nowMs),
	};
}

/** The account's stored permission that a transaction refers to. @throws {Failure} `not_authorized` */
function authorising(envelope: TransactionEnvelope, account: Readonly<Account>): Readonly<Permission> {
	const { permissionId, type } = envelope;
	return checkPermission(permissionOf(account, permissionId), permissionId, type.id);
}

/** An account that a node doesn't know is treated as a new one, which signs with its own key. */
export function accountOrFresh(
	account: Readonly<Account> | undefined,
	address: Uint8Array,
): Readonly<Account> {
	return account ?? Account.create({ address });
}

/** The permission in the envelope's member `coin`; undefined if there is none. @throws {Failure} `transaction_invalid` */
function carriedPermission(envelope: TransactionEnvelope): Permission | undefined {
	const permission = member(envelope.coin, "permission");
	if (!isRecord(permission)) return undefined;
	const { id, type, name, threshold, operations, keys } = permission;
	try {
		return Permission.create({
			id: Number(id),
			type: PermissionPermissionTypeEnum.values[String(type)] ?? -1,
			permission_name: String(name ?? ""),
			threshold: int64Of(threshold),
			operations: operations === undefined ? new Uint8Array(0) : fromHex(String(operations)),
			keys: (Array.isArray(keys) ? keys : []).map((key) => keyFrom(key as JsonRecord)),
		});
	} catch (error) {
		if (!(error instanceof SyntaxError) && !(error instanceof RangeError) && !(error instanceof Failure))
			throw error;
		throw new Failure("transaction_invalid", "the member coin.permission can't be read");
	}
}

function keyFrom({ address, weight }: JsonRecord): Key {
	const bytes = readAddress(String(address));
	if (!bytes) throw new Failure("transaction_invalid", "a key of coin.permission is not an address");
	return Key.create({ address: bytes, weight: int64Of(weight) });
}

function int64Of(value: Json | undefined): bigint {
	if (!/^-?\d{1,19}$/.test(String(value)))
		throw new Failure("transaction_invalid", "coin.permission has a number that is none");
	return BigInt(String(value));
}

/** Refuses an expired transaction, which may have been sent before. @throws {Failure} `tx_expired` */
export function checkNotExpired(envelope: TransactionEnvelope, authority: Pick<Authority, "nowMs">): void {
	const expiration = envelope.transaction.raw?.expiration ?? 0n;
	if (expiration <= authority.nowMs) {
		throw new Failure("tx_expired", `the transaction expired at ${utcTime(expiration)}`, {
			sent: "unknown",
			txID: envelope.transaction.idHex,
			hint: `coin tx status ${envelope.transaction.idHex} tells whether it was sent; if not, build it again (--expires gives it more time)`,
		});
	}
}
