/** Single edits of an account's permissions (protocol/wallet-formats §5): each takes a set and returns the edited one. */

import { equalBytes } from "../../protocol/bytes.js";
import { Key, Permission, PermissionPermissionType } from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { DEFAULT_OPERATIONS, parseOperations } from "./operations.js";
import { permissionLabel } from "./permission.js";
import { FIRST_ACTIVE_ID, type PermissionSet } from "./permission-set.js";

/** Resolves a key, given by address or label, to its address. */
type ResolveKey = (text: string) => Promise<Uint8Array>;

/** The flags for edits, each with one text value. */
export const EDITS = {
	owner: (set, value, resolve) => replaceKeys(set, "owner", value, resolve),
	witness: (set, value, resolve) => replaceKeys(set, "witness", value, resolve),
	active: replaceActive,
	operations: editOperations,
	"add-key": addKey,
	"remove-key": removeKey,
	threshold: editThreshold,
	rename: renamePermission,
	"remove-active": async (set, value) => removeActive(set, value),
} as const satisfies Record<
	string,
	(set: PermissionSet, value: string, resolve: ResolveKey) => Promise<PermissionSet>
>;

export type EditName = keyof typeof EDITS;

/** Applies edits in order. @throws {Failure} `bad_value` */
export async function applyEdits(
	set: PermissionSet,
	edits: readonly { readonly name: EditName; readonly value: string }[],
	resolve: ResolveKey,
): Promise<PermissionSet> {
	let current = set;
	for (const { name, value } of edits) current = await EDITS[name](current, value, resolve);
	return current;
}

/** Reads `<threshold>/<key>[:<weight>],…`. @throws {Failure} `bad_value` */
export async function parseKeyset(
	text: string,
	resolve: ResolveKey,
): Promise<{ readonly threshold: bigint; readonly keys: readonly Key[] }> {
	const match = /^(\d{1,19})\/(.+)$/.exec(text.trim());
	if (!match?.[1] || !match[2]) {
		throw new Failure("bad_value", `"${text}" is not a set of keys: write it like 2/Tann,Tbob,Tcarol:1`);
	}
	const keys: Key[] = [];
	for (const part of match[2].split(",")) keys.push(await parseKey(part, resolve));
	return { threshold: BigInt(match[1]), keys };
}

async function parseKey(text: string, resolve: ResolveKey): Promise<Key> {
	const match = /^\s*([^:]+?)\s*(?::(\d{1,19}))?\s*$/.exec(text);
	if (!match?.[1]) throw new Failure("bad_value", `"${text}" is not a key: write it like Tann or Tann:2`);
	return Key.create({
		address: await resolve(match[1]),
		weight: match[2] === undefined ? 1n : BigInt(match[2]),
	});
}

async function replaceKeys(
	set: PermissionSet,
	which: "owner" | "witness",
	value: string,
	resolve: ResolveKey,
): Promise<PermissionSet> {
	const { threshold, keys } = await parseKeyset(value, resolve);
	const present = set[which];
	const next = present
		? changed(present, { threshold, keys })
		: Permission.create({
				type: PermissionPermissionType.Witness,
				id: 1,
				permission_name: which,
				threshold,
				keys,
			});
	return { ...set, [which]: next };
}

async function replaceActive(set: PermissionSet, value: string, resolve: ResolveKey): Promise<PermissionSet> {
	const [target, keyset] = assignment(value, "--active");
	const { threshold, keys } = await parseKeyset(keyset, resolve);
	const index = activeIndex(set, target);
	if (index !== undefined)
		return withActive(set, index, changed(set.actives[index] as Permission, { threshold, keys }));
	if (/^\d+$/.test(target))
		throw new Failure("bad_value", `there is no active permission ${target}; a new one needs a name`);
	const added = Permission.create({
		type: PermissionPermissionType.Active,
		id: FIRST_ACTIVE_ID + set.actives.length,
		permission_name: target,
		threshold,
		operations: DEFAULT_OPERATIONS,
		keys,
	});
	return { ...set, actives: [...set.actives, added] };
}

async function editOperations(set: PermissionSet, value: string): Promise<PermissionSet> {
	const [target, list] = assignment(value, "--operations");
	const index = requiredActive(set, target);
	const present = set.actives[index] as Readonly<Permission>;
	return withActive(set, index, changed(present, { operations: parseOperations(list, present.operations) }));
}

async function addKey(set: PermissionSet, value: string, resolve: ResolveKey): Promise<PermissionSet> {
	const [target, text] = assignment(value, "--add-key");
	const key = await parseKey(text, resolve);
	return editPermission(set, target, (permission) => {
		const others = permission.keys.filter((present) => !equalBytes(present.address, key.address));
		return changed(permission, { keys: [...others, key] });
	});
}

async function removeKey(set: PermissionSet, value: string, resolve: ResolveKey): Promise<PermissionSet> {
	const [target, text] = assignment(value, "--remove-key");
	const address = await resolve(text);
	return editPermission(set, target, (permission) => {
		const keys = permission.keys.filter((present) => !equalBytes(present.address, address));
		if (keys.length === permission.keys.length) {
			throw new Failure("bad_value", `${text} is not a key of the permission ${permissionLabel(permission)}`);
		}
		return changed(permission, { keys });
	});
}

async function editThreshold(set: PermissionSet, value: string): Promise<PermissionSet> {
	const [target, text] = assignment(value, "--threshold");
	if (!/^\d{1,19}$/.test(text)) throw new Failure("bad_value", `"${text}" is not a threshold`);
	return editPermission(set, target, (permission) => changed(permission, { threshold: BigInt(text) }));
}

async function renamePermission(set: PermissionSet, value: string): Promise<PermissionSet> {
	const [target, name] = assignment(value, "--rename");
	return editPermission(set, target, (permission) => changed(permission, { permission_name: name }));
}

function removeActive(set: PermissionSet, target: string): PermissionSet {
	const index = requiredActive(set, target);
	return { ...set, actives: set.actives.filter((_, position) => position !== index) };
}

/** Whether the edits alone determine who may use a permission, and for what: it is new, or they replace all of it. */
export function isStatedBy(
	edits: readonly { readonly name: EditName; readonly value: string }[],
	before: PermissionSet,
	{ type, id, permission_name: name }: Readonly<Permission>,
): boolean {
	if (type === PermissionPermissionType.Owner) return edits.some((edit) => edit.name === "owner");
	const said = (flag: EditName): string | undefined =>
		edits
			.filter((edit) => edit.name === flag)
			.map(({ value }) => assignment(value, `--${flag}`))
			.findLast(([target]) => target === String(id) || target === name)?.[1];
	if (said("active") === undefined) return false;
	const operations = said("operations");
	const isRelative = operations === undefined || /(^|,)\s*[+-]/.test(operations);
	return !isRelative || !before.actives.some((active) => active.permission_name === name);
}

/** Splits `<permission>=<value>`. */
function assignment(text: string, flag: string): readonly [string, string] {
	const at = text.indexOf("=");
	if (at <= 0 || at === text.length - 1)
		throw new Failure("bad_value", `${flag} "${text}": write <permission>=<value>`);
	return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function changed(permission: Readonly<Permission>, change: Partial<Permission>): Permission {
	return Object.assign(Permission.copy(permission), change);
}

function withActive(set: PermissionSet, index: number, permission: Permission): PermissionSet {
	return {
		...set,
		actives: set.actives.map((active, position) => (position === index ? permission : active)),
	};
}

/** Edits `owner` (or 0), `witness` (or 1), or an active permission by id or name. */
function editPermission(
	set: PermissionSet,
	target: string,
	edit: (permission: Readonly<Permission>) => Permission,
): PermissionSet {
	if (target === "0" || (target === "owner" && activeIndex(set, target) === undefined)) {
		return { ...set, owner: edit(set.owner) };
	}
	if (target === "1" || (target === "witness" && activeIndex(set, target) === undefined)) {
		if (!set.witness) throw new Failure("bad_value", "the account has no witness permission");
		return { ...set, witness: edit(set.witness) };
	}
	const index = requiredActive(set, target);
	return withActive(set, index, edit(set.actives[index] as Readonly<Permission>));
}

function activeIndex(set: PermissionSet, target: string): number | undefined {
	const matches = set.actives.flatMap((active, index) => {
		const named = /^\d+$/.test(target) ? active.id === Number(target) : active.permission_name === target;
		return named ? [index] : [];
	});
	if (matches.length > 1)
		throw new Failure("bad_value", `${matches.length} active permissions are named "${target}": use the id`);
	return matches[0];
}

function requiredActive(set: PermissionSet, target: string): number {
	const index = activeIndex(set, target);
	if (index === undefined) {
		const known = set.actives.map(permissionLabel).join(", ");
		throw new Failure("bad_value", `there is no active permission "${target}"; there are ${known || "none"}`);
	}
	return index;
}

/**
 * Adds to a set what the network requires and an old account may lack: an active permission, with the owner's keys so that
 * nobody gains access, and the witness permission of a witness.
 * @param account 21 bytes
 */
export function completed(set: PermissionSet, account: Uint8Array, isWitness: boolean): PermissionSet {
	const { threshold, keys } = set.owner;
	const active = Permission.create({
		type: PermissionPermissionType.Active,
		permission_name: "active",
		threshold,
		operations: DEFAULT_OPERATIONS,
		keys,
	});
	const witness = Permission.create({
		type: PermissionPermissionType.Witness,
		permission_name: "witness",
		threshold: 1n,
		keys: [Key.create({ address: account, weight: 1n })],
	});
	return {
		...set,
		witness: set.witness ?? (isWitness ? witness : undefined),
		actives: set.actives.length > 0 ? set.actives : [active],
	};
}
