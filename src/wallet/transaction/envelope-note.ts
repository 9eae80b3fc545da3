/** The member `coin` of an envelope: chain, permission, signers so far, and a sentence on what the transaction does. */

import { toBase58Check } from "../../protocol/address.js";
import { asBuffer, fromUtf8, toHex } from "../../protocol/bytes.js";
import { type Permission, PermissionPermissionTypeEnum } from "../../protocol/messages.js";
import { type Json, type JsonRecord, member } from "../json.js";
import { operationName } from "../permission/operations.js";
import type { Approval, WeighedKey } from "../permission/permission.js";
import { formatCoin } from "../values/amount.js";
import { utcTime } from "../values/moment.js";
import { contractSummary } from "./contract-summary.js";
import { type DescribedCall, describedCallLines } from "./described-call.js";
import { ownerText, type TransactionEnvelope } from "./envelope.js";

/** What is known about an envelope besides its bytes. */
export interface EnvelopeFacts {
	/** Genesis block id of the chain. */
	readonly chain: Uint8Array | undefined;
	readonly permission: Readonly<Permission> | undefined;
	readonly approval: Approval | undefined;
	/** Weight of the existing signatures, if `approval` counts further ones. */
	readonly weightBefore?: bigint | undefined;
	readonly note?: string | undefined;
	/** Timestamp of the newest block, against which expiration is checked; epoch milliseconds. */
	readonly chainMs?: bigint | undefined;
	/** The function that is called. */
	readonly call?: DescribedCall | undefined;
}

/** Members that are recomputed; any other member of an envelope that was read is kept. */
const COMPUTED = new Set([
	"v",
	"chain",
	"account",
	"permission",
	"approved",
	"weight",
	"missing",
	"ready",
	"expiration",
	"summary",
]);

/** Builds the member, without empty lists, empty objects or fractions, so that a node accepts the whole line. */
export function noteFor(envelope: TransactionEnvelope, facts: EnvelopeFacts): JsonRecord {
	const { chain, permission, approval } = facts;
	const kept = Object.entries(envelope.coin ?? {}).filter(([name]) => !COMPUTED.has(name));
	const members: Record<string, Json | undefined> = {
		v: 1n,
		chain: chain ? toHex(chain) : member(envelope.coin, "chain"),
		account: ownerText(envelope.owner),
		permission: permission ? permissionNote(permission) : member(envelope.coin, "permission"),
		approved: approval && approval.approved.length > 0 ? approval.approved.map(keyNote) : undefined,
		weight: approval?.weight.toString(),
		missing: approval?.missing.toString(),
		ready: approval?.ready,
		expiration: envelope.transaction.raw?.expiration.toString(),
		summary: summaryOf(envelope, facts.call),
		note: facts.note,
		...Object.fromEntries(kept),
	};
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonRecord;
}

function permissionNote(permission: Readonly<Permission>): JsonRecord {
	return {
		id: BigInt(permission.id),
		type: PermissionPermissionTypeEnum.names.get(permission.type) ?? String(permission.type),
		name: permission.permission_name,
		threshold: permission.threshold.toString(),
		...(permission.operations.length > 0 ? { operations: toHex(permission.operations) } : {}),
		keys: permission.keys.map(keyNote),
	};
}

function keyNote({ address, weight }: WeighedKey): JsonRecord {
	return { address: toBase58Check(address), weight: weight.toString() };
}

/** One sentence on what the transaction does. */
export function summaryOf(envelope: TransactionEnvelope, call?: DescribedCall): string {
	const { type, transaction, owner } = envelope;
	const called = call?.signature === undefined ? undefined : call.text;
	return contractSummary({ type, parameter: transaction.parameter }, owner, called);
}

/** The lines of a summary for people, before they sign. */
export function summaryLines(envelope: TransactionEnvelope, facts: EnvelopeFacts): string[] {
	const raw = envelope.transaction.raw;
	const lines = [
		`${operationName(envelope.type.id)}: ${summaryOf(envelope, facts.call)}`,
		`  transaction ${envelope.transaction.idHex}`,
	];
	if (facts.call) lines.push(...describedCallLines(facts.call));
	if (raw && raw.fee_limit > 0n) lines.push(`  fee limit   ${formatCoin(raw.fee_limit)}`);
	if (raw && raw.data.length > 0) lines.push(`  memo        ${memoText(raw.data)}`);
	const { permission, approval } = facts;
	if (permission && approval) {
		const name = permission.permission_name || `${permission.id}`;
		const { weightBefore } = facts;
		const weight = weightBefore === undefined ? approval.weight : `${weightBefore} now, ${approval.weight}`;
		const when = weightBefore === undefined ? "" : " after signing";
		lines.push(
			`  permission  ${name} (${permission.id}), weight ${weight} of ${permission.threshold}${when}`,
		);
	}
	if (raw) lines.push(`  expires     ${expiryText(raw.expiration, facts.chainMs)}`);
	return lines;
}

/** Describes the expiration. On a chain without new blocks, it depends on the chain's clock rather than this machine's. */
function expiryText(expirationMs: bigint, chainMs: bigint | undefined): string {
	const time = utcTime(expirationMs);
	if (chainMs === undefined) return time;
	const seconds = (expirationMs - chainMs) / 1000n;
	const distance = seconds < 0n ? `${-seconds} s before` : `${seconds} s after`;
	return `${time}, ${distance} the chain's newest block`;
}

/** A memo as text if it is valid text, else in hexadecimal. */
function memoText(data: Uint8Array): string {
	const text = fromUtf8(data);
	const printable = /^[^\p{C}]*$/u.test(text) && asBuffer(data).equals(Buffer.from(text, "utf8"));
	return printable ? JSON.stringify(text) : `0x${toHex(data)}`;
}
