/**
 * Turns a plan into a transaction that can be signed: permission and signers are checked before anything is built, and the
 * transaction that the node built is compared with the request (protocol/http-endpoints §1, protocol/wallet-formats §4.2).
 */

import { equalBytes } from "../../protocol/bytes.js";
import type { Permission } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { Failure, onRefusal } from "../failure.js";
import { fetchGenesisId } from "../node/chain-query.js";
import {
	type Approval,
	checkPermission,
	leastSignatures,
	permissionId,
	permissionOf,
	weigh,
} from "../permission/permission.js";
import type { SigningKey } from "../signers/signer.js";
import { buildAtNode, buildOffline, headerFor, type ReferenceBlock } from "../transaction/build.js";
import { envelopeOf, type TransactionEnvelope } from "../transaction/envelope.js";
import type { Expiry } from "../transaction/lifetime.js";
import { coinsOf } from "../transaction/moved-coins.js";
import { checkReference } from "../transaction/second-source.js";
import { checkSigners } from "../transaction/signing.js";
import { shortfallOf, type TransactionCost, transactionCost } from "../transaction/transaction-cost.js";
import type { Actor, TransactionPlan } from "./plan.js";

/** A transaction that others have to sign too is valid for twelve hours. */
const SHARED_EXPIRY: Expiry = { afterMs: 12 * 3_600_000 };

export interface PrepareOptions {
	/** Permission to act under, by id or name; if absent, the owner permission. */
	readonly permission?: string | undefined;
	readonly memo?: Uint8Array | undefined;
	readonly expiry?: Expiry | undefined;
	/** The reference block; if absent, the node's choice, which is its irreversible head. */
	readonly reference?: ReferenceBlock | undefined;
	/** Don't contact a node: requires a reference block with its id, and an absolute expiration. */
	readonly offline?: boolean;
	/** Whether it is passed on to other signers, so that it gets a longer expiration. */
	readonly travels?: boolean;
	/** Keys that will sign now; each is checked against the permission. */
	readonly keys?: readonly SigningKey[];
	/** Used in place of `keys` if only the addresses of the signing keys are known, 21 bytes each. */
	readonly signers?: readonly Uint8Array[];
}

export interface PreparedTransaction {
	readonly envelope: TransactionEnvelope;
	/** Undefined if no node was asked for it. */
	readonly permission: Readonly<Permission> | undefined;
	/** Weight of the keys that will sign, against the permission's threshold. */
	readonly approval: Approval | undefined;
}

/**
 * Builds and checks a transaction without signing it.
 * @throws {Failure} what the node refuses; `not_authorized`, `already_signed`; `transaction_mismatch` if the node built
 * a transaction other than the one requested
 */
export async function prepare(
	actor: Actor,
	plan: TransactionPlan,
	options: PrepareOptions = {},
): Promise<PreparedTransaction> {
	const { settings, client, account } = actor;
	const { offline = false, keys = [] } = options;
	const id = options.permission === undefined ? 0 : permissionId(account, options.permission);
	const permission =
		offline && id !== 0 ? undefined : checkPermission(permissionOf(account, id), id, plan.type.id);
	if (settings.genesis !== undefined && !offline) await fetchGenesisId(client);
	const request = {
		type: plan.type,
		parameter: plan.parameter,
		permissionId: id,
		memo: options.memo,
		feeLimitSun: plan.feeLimitSun,
		expiry: options.expiry ?? defaultExpiry(actor, permission, options),
		reference: options.reference,
	};
	const transaction = offline
		? buildOffline(request, Date.now())
		: plan.complete
			? await plan.complete(await headerFor(client, request, Date.now()))
			: await buildAtNode(client, request);
	if (!offline) await checkReference(client, transaction);
	const envelope = envelopeOf(transaction, plan.note);
	if (permission && keys.length > 0) checkSigners(envelope, permission, keys);
	const signers = signersOf(options);
	return { envelope, permission, approval: permission && weigh(permission, signers) };
}

function defaultExpiry(
	{ owner }: Actor,
	permission: Readonly<Permission> | undefined,
	options: PrepareOptions,
): Expiry | undefined {
	if (!options.travels || !permission) return undefined;
	const named = signersOf(options);
	const signers = named.length > 0 ? named : [owner];
	const weight = permission.keys
		.filter(({ address }) => signers.some((signer) => equalBytes(signer, address)))
		.reduce((sum, key) => sum + key.weight, 0n);
	return permission.threshold > weight ? SHARED_EXPIRY : undefined;
}

function signersOf({ keys = [], signers }: PrepareOptions): readonly Uint8Array[] {
	return signers ?? keys.map(({ address }) => address);
}

/** An estimate of the fees, and how much the account lacks to pay them. */
export interface PreparedCost extends TransactionCost {
	/** Sun by which amount plus fees exceed the balance. */
	readonly shortfallSun: bigint;
}

/**
 * Estimates what a prepared transaction costs at present.
 * @param signatures number of signatures that it will have
 * @param postQuantum schemes of the post-quantum ones among them
 * @returns undefined if the node doesn't give its prices
 */
export async function estimateCost(
	{ client, account }: Actor,
	plan: TransactionPlan,
	{ envelope, permission }: PreparedTransaction,
	signatures: number,
	postQuantum: readonly PostQuantumScheme[] = [],
): Promise<PreparedCost | undefined> {
	const cost = await transactionCost(client, envelope.transaction, {
		signatures: Math.max(leastSignatures(permission), signatures),
		postQuantum,
		creates: plan.creates ?? false,
		energy: plan.energy,
	}).catch(onRefusal(undefined, "not_served", "rpc_error"));
	return cost && { ...cost, shortfallSun: shortfallOf(account.balance, coinsOf(plan), cost) };
}

/** Checks that the signing keys reach the permission's threshold. @throws {Failure} `threshold_not_reached` */
export function checkThreshold({ approval, permission }: PreparedTransaction): void {
	if (!approval || !permission || approval.ready) return;
	throw new Failure(
		"threshold_not_reached",
		`the keys that sign weigh ${approval.weight} of the ${permission.threshold} that the permission needs`,
		{ hint: "name more keys with --signer, or use --sign and let the others sign the envelope" },
	);
}
