/** Whose signatures an artefact needs and has: from the node, or without one from the artefact itself (protocol/wallet-formats §4.2). */

import { toBase58Check } from "../protocol/address.js";
import { fromHex, toHex } from "../protocol/bytes.js";
import { Account, Key, Permission, PermissionPermissionTypeEnum } from "../protocol/messages.js";
import { readAddress } from "./address-text.js";
import type { Artefact } from "./artefact.js";
import { accountOf, genesisId, headBlock } from "./chain-query.js";
import { Failure } from "./failure.js";
import { isRecord, type JsonRecord, member } from "./json.js";
import type { NodeClient } from "./node-client.js";
import { type Approval, checkPermission, permissionOf, samePermission, weigh } from "./permission.js";

export interface Authority {
	readonly permission: Readonly<Permission>;
	readonly approval: Approval;
	/** Id of the genesis block; from the artefact where no node was asked. */
	readonly chain: Uint8Array | undefined;
	/** Where the permission is from; one from an artefact is unverified. */
	readonly source: "node" | "artefact";
	/** Whether the account's permission is another one than the artefact says. */
	readonly changed: boolean;
	/** The present time as the chain counts it; the local clock where no node was asked. */
	readonly nowMs: bigint;
	/** Time of the chain's newest block; undefined where no node was asked. */
	readonly chainMs?: bigint;
}

/**
 * Asks the node.
 * @throws {Failure} `wrong_network`, `not_found`, `not_authorized`
 */
export async function authorityAtNode(artefact: Artefact, client: NodeClient): Promise<Authority> {
	const [chain, stored, head] = await Promise.all([
		genesisId(client),
		accountOf(client, artefact.owner),
		headBlock(client),
	]);
	const named = member(artefact.coin, "chain");
	if (typeof named === "string" && named !== toHex(chain)) {
		throw new Failure(
			"wrong_network",
			`the transaction is for the chain ${named}, the node serves ${toHex(chain)}`,
		);
	}
	if (!stored)
		throw new Failure(
			"not_found",
			`the account ${toBase58Check(artefact.owner)} does not exist on this chain`,
		);
	const permission = authorising(artefact, stored);
	const carried = carriedPermission(artefact);
	return {
		permission,
		approval: weigh(permission, artefact.signers),
		chain,
		source: "node",
		changed: carried !== undefined && !samePermission(carried, permission),
		nowMs: head.timestampMs,
		chainMs: head.timestampMs,
	};
}

/**
 * Believes the artefact.
 * @throws {Failure} `usage` if it carries no permission, `not_authorized`
 */
export function authorityOfArtefact(artefact: Artefact, nowMs: number): Authority {
	const carried = carriedPermission(artefact);
	if (!carried) {
		throw new Failure(
			"usage",
			"without a node, the artefact itself must carry the permission, and it doesn't",
		);
	}
	const permission = checkPermission(carried, artefact.permissionId, artefact.type.id);
	const chain = member(artefact.coin, "chain");
	return {
		permission,
		approval: weigh(permission, artefact.signers),
		chain: typeof chain === "string" && /^[0-9a-f]{64}$/.test(chain) ? fromHex(chain) : undefined,
		source: "artefact",
		changed: false,
		nowMs: BigInt(nowMs),
	};
}

/** The stored permission that a transaction of an account names. @throws {Failure} `not_authorized` */
function authorising(artefact: Artefact, account: Readonly<Account>): Readonly<Permission> {
	const { permissionId, type } = artefact;
	return checkPermission(permissionOf(account, permissionId), permissionId, type.id);
}

/** An account that a node doesn't know signs with its own key, as a new one does. */
export function accountOrFresh(
	account: Readonly<Account> | undefined,
	address: Uint8Array,
): Readonly<Account> {
	return account ?? Account.create({ address });
}

/** The permission inside the member `coin`; undefined if there is none. @throws {Failure} `artefact_invalid` */
function carriedPermission(artefact: Artefact): Permission | undefined {
	const permission = member(artefact.coin, "permission");
	if (!isRecord(permission)) return undefined;
	const { id, type, name, threshold, operations, keys } = permission;
	try {
		return Permission.create({
			id: Number(id),
			type: PermissionPermissionTypeEnum.values[String(type)] ?? -1,
			permission_name: String(name ?? ""),
			threshold: BigInt(String(threshold)),
			operations: operations === undefined ? new Uint8Array(0) : fromHex(String(operations)),
			keys: (Array.isArray(keys) ? keys : []).map((key) => keyFrom(key as JsonRecord)),
		});
	} catch (error) {
		if (!(error instanceof SyntaxError) && !(error instanceof RangeError) && !(error instanceof Failure))
			throw error;
		throw new Failure("artefact_invalid", "the member coin.permission can't be read");
	}
}

function keyFrom({ address, weight }: JsonRecord): Key {
	const bytes = readAddress(String(address));
	if (!bytes) throw new Failure("artefact_invalid", "a key of coin.permission is no address");
	return Key.create({ address: bytes, weight: BigInt(String(weight)) });
}

/** Refuses a transaction whose time is over. @throws {Failure} `tx_expired` */
export function checkNotExpired(artefact: Artefact, authority: Authority): void {
	const expiration = artefact.transaction.raw?.expiration ?? 0n;
	if (expiration <= authority.nowMs) {
		throw new Failure(
			"tx_expired",
			`the transaction expired at ${new Date(Number(expiration)).toISOString()}`,
			{
				hint: "build it again; --expires gives it more time",
			},
		);
	}
}
