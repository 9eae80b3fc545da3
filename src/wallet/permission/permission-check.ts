/** What is wrong or dangerous about new permissions, before anything is signed (protocol/command-line §3.2, protocol/permissions §2.4). */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import {
	type Permission,
	PermissionPermissionType,
	PermissionPermissionTypeEnum,
} from "../../protocol/messages.js";
import { OPERATIONS_LENGTH } from "../../protocol/permission.js";
import { Failure } from "../failure.js";
import { counted } from "../values/integer-text.js";
import {
	canUpdatePermissions,
	DEFAULT_OPERATIONS,
	hasOperation,
	movingOperations,
	operationIds,
	operationName,
	operationsText,
	unknownOperations,
} from "./operations.js";
import { MAX_KEYS, permissionLabel, samePermission } from "./permission.js";
import { FIRST_ACTIVE_ID, type PermissionSet } from "./permission-set.js";

const MAX_ACTIVES = 8;
const MAX_NAME_LENGTH = 32;

/** A remark on new permissions. Level 3 locks the owner out, level 2 may, the others only inform. */
export interface PermissionRemark {
	readonly code: string;
	readonly level: 0 | 2 | 3;
	readonly message: string;
	/** Keys in Base58 that take more than `--yes`: a person who types their ends, or the command that names them. */
	readonly unnamed?: readonly string[];
	/** Rests on nothing but the node's word, which takes more than `--yes`: a person who looks at it, or `--trust-node`. */
	readonly isNodesWord?: boolean;
}

/**
 * The node's own rules, in its order and with its texts.
 * @param isWitness whether the account is a witness
 * @throws {Failure} `contract_validate`
 */
export function checkRules(set: PermissionSet, isWitness: boolean): void {
	const refuse = (text: string): never => {
		throw new Failure("contract_validate", text);
	};
	if (isWitness && !set.witness) refuse("witness permission is missed");
	if (!isWitness && set.witness) refuse("account isn't witness can't set witness permission");
	if (set.actives.length === 0) {
		throw new Failure("contract_validate", "active permission is missed", {
			hint: "the network wants at least one: --active active=1/<key> adds it",
		});
	}
	if (set.actives.length > MAX_ACTIVES) refuse("active permission is too many");
	if (set.owner.type !== PermissionPermissionType.Owner) refuse("owner permission type is error");
	checkOne(set.owner, refuse);
	if (set.witness) {
		if (set.witness.type !== PermissionPermissionType.Witness) refuse("witness permission type is error");
		checkOne(set.witness, refuse);
	}
	for (const active of set.actives) {
		if (active.type !== PermissionPermissionType.Active) refuse("active permission type is error");
		checkOne(active, refuse);
	}
}

function checkOne(permission: Readonly<Permission>, refuse: (text: string) => never): void {
	const { keys, type, threshold, permission_name: name, operations } = permission;
	const typeName = PermissionPermissionTypeEnum.names.get(type) ?? "";
	if (keys.length > MAX_KEYS) refuse(`number of keys in permission should not be greater than ${MAX_KEYS}`);
	if (keys.length === 0) refuse("key's count should be greater than 0");
	if (type === PermissionPermissionType.Witness && keys.length !== 1)
		refuse("Witness permission's key count should be 1");
	if (threshold <= 0n) refuse("permission's threshold should be greater than 0");
	// The network counts UTF-16 units, as a string's length does here.
	if (name.length > MAX_NAME_LENGTH) refuse("permission's name is too long");
	if (permission.parent_id !== 0) refuse("permission's parent should be owner");
	if (new Set(keys.map(({ address }) => toHex(address))).size !== keys.length) {
		refuse(`address should be distinct in permission ${typeName}`);
	}
	let sum = 0n;
	for (const { weight } of keys) {
		if (weight <= 0n) refuse("key's weight should be greater than 0");
		sum += weight;
		if (sum > MAX_INT64) refuse("long overflow");
	}
	if (sum < threshold)
		refuse(`sum of all key's weight should not be less than threshold in permission ${typeName}`);
	if (type !== PermissionPermissionType.Active) {
		if (operations.length > 0) refuse(`${typeName} permission needn't operations`);
	} else if (operations.length !== OPERATIONS_LENGTH) refuse("operations size must 32");
}

/** What is known about the keys of the new owner permission. */
export interface KeyFacts {
	/** A key that this machine can sign with. */
	isLocal(address: Uint8Array): boolean;
	/** A contract account, the zero address, or a key whose scheme the chain doesn't take: it can't sign. */
	isUnsignable(address: Uint8Array): boolean;
	/** A key of this keystore, a contact, or named in the command: known without the node. */
	isKnown(address: Uint8Array): boolean;
	/** The account's own address. */
	isOwn(address: Uint8Array): boolean;
	/** Whether the command itself says who may use a permission, and for what. */
	isStated(permission: Readonly<Permission>): boolean;
	/** All of the update rests on an earlier answer of a node, which may have been another one. */
	readonly isFromNode?: boolean;
}

/** Everything a person should know before agreeing, most serious first. */
export function permissionRemarks(
	before: PermissionSet,
	after: PermissionSet,
	facts: KeyFacts,
): PermissionRemark[] {
	return [
		...ownerRemarks(after.owner, facts),
		...permissionsOf(after).flatMap((permission) => unsignableRemarks(permission, facts)),
		...strangerRemarks(before, after, facts),
		...wordRemarks(before, after, facts),
		...publishedRemarks(before, after),
		...after.actives.flatMap((active) => fundRemarks(before, after, active)),
		...after.actives.flatMap(activeRemarks),
		...shiftRemarks(before, after),
	];
}

function ownerRemarks(owner: Readonly<Permission>, facts: KeyFacts): PermissionRemark[] {
	const weightOf = (counts: (address: Uint8Array) => boolean): bigint =>
		weightOfKeys(owner.keys.filter(({ address }) => counts(address)));
	const signable = weightOf((address) => !facts.isUnsignable(address));
	if (signable < owner.threshold) {
		return [
			{
				code: "owner_unsignable",
				level: 3,
				message: `the owner permission can never be used again: keys that can sign weigh ${signable} of ${owner.threshold}`,
			},
		];
	}
	const local = weightOf((address) => facts.isLocal(address) && !facts.isUnsignable(address));
	if (local === 0n) {
		return [
			{
				code: "owner_lockout",
				level: 3,
				message: "no owner key is in the local keystore: from here the account can't be controlled any more",
			},
		];
	}
	if (local < owner.threshold) {
		const foreign = owner.keys
			.filter(({ address }) => !facts.isLocal(address))
			.map(({ address }) => toBase58Check(address));
		return [
			{
				code: "owner_lockout_partial",
				level: 2,
				message: `the local owner keys weigh ${local} of ${owner.threshold}: the rest is with ${foreign.join(", ")}`,
			},
		];
	}
	return [];
}

/** Keys that can't sign, in a permission with other keys or one that the owner can repair. */
function unsignableRemarks(permission: Readonly<Permission>, facts: KeyFacts): PermissionRemark[] {
	const { keys, threshold, type } = permission;
	const mute = keys.filter(({ address }) => facts.isUnsignable(address));
	if (mute.length === 0) return [];
	const left = weightOfKeys(keys) - weightOfKeys(mute);
	const isUsable = left >= threshold;
	// For the owner permission, the lockout remark covers this.
	if (!isUsable && type === PermissionPermissionType.Owner) return [];
	const who = mute.map(({ address }) => toBase58Check(address)).join(", ");
	const rest = isUsable ? `the other keys weigh ${left} of ${threshold}` : "it can't be used";
	const message = `${who} can't sign for ${permissionLabel(permission)} (a contract, the zero address, or a scheme that the chain doesn't take): ${rest}`;
	return [{ code: "keys_unsignable", level: isUsable ? 0 : 2, message }];
}

/**
 * Keys kept only because the node reports them. A lying node could thus add itself as an owner: the chain
 * stores what is signed.
 */
function strangerRemarks(before: PermissionSet, after: PermissionSet, facts: KeyFacts): PermissionRemark[] {
	const owners = permissionsOf(before).flatMap(({ keys }) => keys.map(({ address }) => toHex(address)));
	return permissionsOf(after).flatMap((permission): PermissionRemark[] => {
		const strangers = permission.keys.filter(
			({ address }) => (facts.isFromNode || owners.includes(toHex(address))) && !facts.isKnown(address),
		);
		if (strangers.length === 0) return [];
		const unnamed = strangers.map(({ address }) => toBase58Check(address));
		const who = unnamed.join(", ");
		const isOwner = permission.type === PermissionPermissionType.Owner;
		const what = isOwner ? "own the account" : `use ${permissionLabel(permission)}`;
		return [
			{
				code: isOwner ? "owner_unknown" : "keys_unknown",
				level: 2,
				unnamed,
				message: `only the node says that ${who} may ${what}, and this update would make it true: not a key of this keystore, not a contact, not named in the command`,
			},
		];
	});
}

/**
 * Thresholds, weights and operations known only from the node: an update replaces all permissions, so a lie
 * about one changes it. Ignores operations that move nothing, and keys that control the account anyway, alone
 * or together: they gain nothing.
 */
function wordRemarks(before: PermissionSet, after: PermissionSet, facts: KeyFacts): PermissionRemark[] {
	const remark = (code: string, what: string): PermissionRemark => ({
		code,
		level: 2,
		isNodesWord: true,
		message: `only the node says ${what}, and this update would make it true`,
	});
	const { owner } = after;
	const isAccount = (address: Uint8Array): boolean =>
		facts.isOwn(address) ||
		[owner, before.owner].some(({ keys, threshold }) =>
			keys.some((key) => equalBytes(key.address, address) && key.weight >= threshold),
		);
	const isGrave = (active: Readonly<Permission>): boolean =>
		(canUpdatePermissions(active.operations) || movingOperations(active.operations).length > 0) &&
		keysetText(active) !== keysetText(owner) &&
		!active.keys.every(({ address }) => isAccount(address));
	const wasThere = (active: Readonly<Permission>): boolean =>
		before.actives.some(
			({ id, permission_name: name }) => id === active.id || name === active.permission_name,
		);
	return [
		...((owner.keys.length > 1 || (facts.isFromNode && !samePermission(before.owner, owner))) &&
		!facts.isStated(owner)
			? [remark("owner_unverified", `how much each of the owner's keys weighs (${keysetText(owner)})`)]
			: []),
		...after.actives
			.filter(
				(active) => (facts.isFromNode || wasThere(active)) && isGrave(active) && !facts.isStated(active),
			)
			.map((active) =>
				remark(
					"active_unverified",
					`that ${permissionLabel(active)}, ${holders(active)}, may ${operationsText(active.operations)}`,
				),
			),
	];
}

/**
 * Accounts whose keys everybody has: ten of the words `test … junk` under the paths of this network and of Ethereum's, and the producer
 * of development chains, whose key is the number one.
 */
export const PUBLISHED_KEYS: ReadonlySet<string> = new Set(
	`TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6 TPjjvMwjPoDC32V2dGDYTkLH4E5LAtBZ6C TB7mhtkvfhsRBRhe5FuRa4tFXSEyGDe4eA
TEb822rMZ5QkYReuqdqK61zkheaan97PZZ TYc2iBENTQ7kwx5jbjW3JDqugR7kogQZn3 TNWtoufpsNepTJdNzbcimHrPEUSHLDCJE1
TYMprjNZ1Lhc2zAsmRbGuBzY6iQ4FB4amn TDmEWPYotmrXW4X49WMJTMostcezCiksPw TPoh8thAmjTXgxPwtFT9oYVyJXPVqLJHhh
TJtuRzHcZ12gHZA8gKjqq589S7h4fYW8N1 TYBNgWfhGuNzdLtjKtxXTfskAhTbMcqbaG TLEaY8XoqpBmndLsjcfThgdKLN1ssNuUcF
TFTsyAaajS3DTEbekme2wm9fNcypguDHp4 TPBivseBCFmG8AEL38DJ4hxrFMQteENxDz TBxcJtrCeCFkHp47jshFMBWGB1n7igSHm2
TPxHkrhCkT8gqx6k6MsVK6UvpFJuhKkkv9 TPmubMRrxB5nSXmaZ1ziNVCRF3ogQBrrUn TBsWdmFEvuBLPsXyweB3mwF2yJ6Fvbp4C6
TDCHX8TBzCq92SwSZiZXokst7SbRZfE6Us TQe8oR3LibG2EHCMUe6WgvHXhAVpRLizBz TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC`.split(
		/\s/,
	),
);

/** Keys that a permission gets and that everybody has. */
function publishedRemarks(before: PermissionSet, after: PermissionSet): PermissionRemark[] {
	const addressesOf = (set: PermissionSet): string[] =>
		permissionsOf(set).flatMap(({ keys }) => keys.map(({ address }) => toBase58Check(address)));
	const had = new Set(addressesOf(before));
	const published = new Set(addressesOf(after).filter((key) => PUBLISHED_KEYS.has(key) && !had.has(key)));
	if (published.size === 0) return [];
	const message = `everybody has the key of ${[...published].join(", ")}, which is one of development chains: whoever wants to signs with it`;
	return [{ code: "keys_published", level: 2, message }];
}

export function permissionsOf({ owner, witness, actives }: PermissionSet): readonly Readonly<Permission>[] {
	return [owner, ...(witness ? [witness] : []), ...actives];
}

/** Operations that move funds and that a remark names. */
const MAX_NAMED = 3;

/**
 * An active permission that moves funds and can be used by keys other than the new owner's, or fewer of them:
 * whoever shares an account among keys rarely wants one of them, or the old one, to keep paying alone.
 */
function fundRemarks(
	before: PermissionSet,
	after: PermissionSet,
	active: Readonly<Permission>,
): PermissionRemark[] {
	const moving = movingOperations(active.operations);
	if (moving.length === 0) return [];
	const { owner } = after;
	const outside = active.keys.filter(
		({ address }) => !owner.keys.some((key) => equalBytes(key.address, address)),
	);
	const label = permissionLabel(active);
	// The summary lists all of them.
	const named = moving.slice(0, MAX_NAMED).map(operationName).join(", ");
	const others = moving.length - MAX_NAMED;
	const may = `${label} may move funds (${named}${others > 0 ? ` and ${others} more` : ""})`;
	const remedy = `--active ${active.id}=${keysetText(owner)} gives it the owner's keys`;
	if (outside.length > 0) {
		const who = outside.map(({ address }) => toBase58Check(address)).join(", ");
		const alone = weightOfKeys(outside) >= active.threshold ? ", without any of the owner's keys" : "";
		return [
			{
				code: "active_outside_owner",
				level: 2,
				message: `${may} with keys that are not the owner's: ${who}${alone}; ${remedy}`,
			},
		];
	}
	const stayed = before.actives.some((candidate) => samePermission(candidate, active));
	if (!stayed || samePermission(before.owner, owner) || fewestSigners(active) >= fewestSigners(owner))
		return [];
	return [
		{
			code: "active_weaker_than_owner",
			level: 2,
			message: `${may} with ${counted(fewestSigners(active), "signature")} where the owner needs ${fewestSigners(owner)}; ${remedy}`,
		},
	];
}

function weightOfKeys(keys: Permission["keys"]): bigint {
	return keys.reduce((sum, { weight }) => sum + weight, 0n);
}

/** How few keys reach the threshold. */
function fewestSigners({ keys, threshold }: Readonly<Permission>): number {
	const heaviestFirst = keys.map(({ weight }) => weight).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
	let sum = 0n;
	const position = heaviestFirst.findIndex((weight) => {
		sum += weight;
		return sum >= threshold;
	});
	return position < 0 ? Number.POSITIVE_INFINITY : position + 1;
}

/** A set of keys as the flags of permission update take it. */
function keysetText({ threshold, keys }: Readonly<Permission>): string {
	const words = keys.map(
		({ address, weight }) => `${toBase58Check(address)}${weight === 1n ? "" : `:${weight}`}`,
	);
	return `${threshold}/${words.join(",")}`;
}

function activeRemarks(active: Readonly<Permission>): PermissionRemark[] {
	const label = permissionLabel(active);
	const remarks: PermissionRemark[] = [];
	if (canUpdatePermissions(active.operations)) {
		remarks.push({
			code: "active_can_update_permission",
			level: 0,
			message: `${label} may change the permissions themselves`,
		});
	}
	const unknown = unknownOperations(active.operations);
	if (unknown.length > 0) {
		remarks.push({
			code: "active_unknown_operations",
			level: 0,
			message: `${label} holds operations without a name: ${unknown.join(", ")}`,
		});
	}
	const missing = operationIds(DEFAULT_OPERATIONS).filter(
		(id) => id >= 48 && !hasOperation(active.operations, id),
	);
	const ordinary = operationIds(DEFAULT_OPERATIONS).filter((id) => id < 48);
	if (missing.length > 0 && ordinary.every((id) => hasOperation(active.operations, id))) {
		remarks.push({
			code: "operations_outdated",
			level: 0,
			message: `${label} lacks newer operations (${missing.map(operationName).join(", ")}): --operations ${active.id}=default adds them`,
		});
	}
	return remarks;
}

/** Removing one shifts those after it, and transactions in flight name permissions by id. */
function shiftRemarks(before: PermissionSet, after: PermissionSet): PermissionRemark[] {
	const moves = before.actives.flatMap((active, index) => {
		const now = after.actives.findIndex(
			(candidate) =>
				candidate.permission_name === active.permission_name &&
				(candidate === active || samePermission(candidate, active)),
		);
		return now >= 0 && now !== index
			? [`${active.permission_name || active.id}: ${FIRST_ACTIVE_ID + index} → ${FIRST_ACTIVE_ID + now}`]
			: [];
	});
	if (moves.length === 0) return [];
	return [
		{ code: "active_ids_shift", level: 0, message: `active permissions get other ids: ${moves.join(", ")}` },
	];
}

/** Whether two sets are the same as the chain stores them. */
export function sameSet(a: PermissionSet, b: PermissionSet): boolean {
	const sameNamed = (x: Readonly<Permission> | undefined, y: Readonly<Permission> | undefined): boolean =>
		x === undefined || y === undefined
			? x === y
			: x.permission_name === y.permission_name && x.type === y.type && samePermission(x, y);
	return (
		sameNamed(a.owner, b.owner) &&
		sameNamed(a.witness, b.witness) &&
		a.actives.length === b.actives.length &&
		a.actives.every((active, index) => sameNamed(active, b.actives[index]))
	);
}

/** The changes line by line; a permission that stays is what the node says of it. */
export function differenceLines(before: PermissionSet, after: PermissionSet): string[] {
	const lines = [
		...compare("owner", before.owner, after.owner),
		...compare("witness", before.witness, after.witness),
	];
	for (let index = 0; index < Math.max(before.actives.length, after.actives.length); index++) {
		lines.push(...compare(`active ${FIRST_ACTIVE_ID + index}`, before.actives[index], after.actives[index]));
	}
	return lines;
}

/** Who can use a permission that stays. */
function holders({ keys, threshold }: Readonly<Permission>): string {
	const names = keys.map(({ address }) => toBase58Check(address)).join(", ");
	return keys.length === 1 ? names : `${names}, threshold ${threshold}`;
}

function compare(
	title: string,
	before: Readonly<Permission> | undefined,
	after: Readonly<Permission> | undefined,
): string[] {
	if (!before && !after) return [];
	const name = after?.permission_name ?? before?.permission_name ?? "";
	const head = `  ${title}${name && name !== title ? ` "${name}"` : ""}`;
	if (!after) return [`- ${head.trim()}, removed`];
	const lines: string[] = [];
	if (!before) lines.push(`+ ${head.trim()}, threshold ${after.threshold}`);
	else if (before.threshold !== after.threshold)
		lines.push(`    threshold ${before.threshold} → ${after.threshold}`);
	if (before && before.permission_name !== after.permission_name) {
		lines.push(`    name "${before.permission_name}" → "${after.permission_name}"`);
	}
	for (const key of before?.keys ?? []) {
		const kept = after.keys.find(({ address }) => equalBytes(address, key.address));
		if (!kept) lines.push(`  - ${toBase58Check(key.address)} weight ${key.weight}`);
		else if (kept.weight !== key.weight)
			lines.push(`    ${toBase58Check(key.address)} weight ${key.weight} → ${kept.weight}`);
	}
	for (const key of after.keys) {
		if (!before?.keys.some(({ address }) => equalBytes(address, key.address))) {
			lines.push(`  + ${toBase58Check(key.address)} weight ${key.weight}`);
		}
	}
	const [had, has] = [before?.operations ?? new Uint8Array(0), after.operations];
	const added = operationIds(has).filter((id) => !hasOperation(had, id));
	const dropped = operationIds(had).filter((id) => !hasOperation(has, id));
	const names = (ids: readonly number[]): string => ids.map(operationName).join(", ");
	// In words only as a whole: a difference says nothing of what it leaves.
	const isNew = added.length === operationIds(has).length;
	if (added.length > 0) lines.push(`  + may ${isNew ? operationsText(has) : names(added)}`);
	if (dropped.length > 0) lines.push(`  - may no longer ${names(dropped)}`);
	if (!before) return lines;
	if (lines.length > 0) return [head, ...lines];
	const may = has.length > 0 ? `, may ${operationsText(has)}` : "";
	return [`${head}, as the node says: ${holders(after)}${may}`];
}
