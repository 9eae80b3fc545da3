import { describe, expect, it } from "vitest";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	defaultProducerKey,
	deriveAccounts,
} from "../../../src/node/development/accounts.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { Key, Permission, PermissionPermissionType } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey } from "../../../src/protocol/signature.js";
import { DEFAULT_OPERATIONS, parseOperations } from "../../../src/wallet/permission/operations.js";
import {
	differenceLines,
	PUBLISHED_KEYS,
	permissionRemarks,
} from "../../../src/wallet/permission/permission-check.js";
import type { PermissionSet } from "../../../src/wallet/permission/permission-set.js";

const [ann, bob, carol] = ["11", "22", "33"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [
	Uint8Array,
	Uint8Array,
	Uint8Array,
];

const keys = (addresses: readonly Uint8Array[]): Key[] =>
	addresses.map((address) => Key.create({ address, weight: 1n }));

const owner = (threshold: bigint, ...addresses: Uint8Array[]): Permission =>
	Permission.create({ permission_name: "owner", threshold, keys: keys(addresses) });

const active = (threshold: bigint, addresses: Uint8Array[], operations = DEFAULT_OPERATIONS): Permission =>
	Permission.create({
		type: PermissionPermissionType.Active,
		id: 2,
		permission_name: "active",
		threshold,
		operations,
		keys: keys(addresses),
	});

const set = (owned: Permission, ...actives: Permission[]): PermissionSet => ({
	owner: owned,
	witness: undefined,
	actives,
});

const everyKey = {
	isLocal: () => true,
	isUnsignable: () => false,
	isKnown: () => true,
	isOwn: (address: Uint8Array) => address === ann,
	isStated: () => true,
};
const codes = (before: PermissionSet, after: PermissionSet): string[] =>
	permissionRemarks(before, after, everyKey)
		.filter(({ level }) => level === 2)
		.map(({ code }) => code);

describe("remarks on new permissions", () => {
	const old = active(1n, [ann]);
	const before = set(owner(1n, ann), old);

	it("warn of keys outside the owner's that can move funds", () => {
		const after = set(owner(2n, bob, carol), old);
		expect(codes(before, after)).toEqual(["active_outside_owner"]);
		expect(differenceLines(before, after).at(-1)).toMatch(/active 2 "active", as the node says: T/);
	});

	it("say in words what all but the permission update are", () => {
		const granted = active(1n, [ann], DEFAULT_OPERATIONS);
		expect(differenceLines(set(owner(1n, ann)), set(owner(1n, bob), granted)).at(-1)).toBe(
			"  + may do everything but change permissions",
		);
		expect(differenceLines(set(owner(1n, ann), granted), set(owner(1n, bob), granted)).at(-1)).toMatch(
			/as the node says: T\w+, may do everything but change permissions$/,
		);
	});

	it("say no less of a difference than it is", () => {
		const alone = active(1n, [ann], parseOperations("AccountPermissionUpdate"));
		const whole = active(1n, [ann], parseOperations("all"));
		const lines = (from: typeof alone, to: typeof alone) =>
			differenceLines(set(owner(1n, ann), from), set(owner(1n, ann), to)).at(-1);
		expect(lines(alone, whole)).toMatch(/^ {2}\+ may AccountCreate, /);
		expect(lines(whole, alone)).toMatch(/^ {2}- may no longer AccountCreate, /);
	});

	it("name keys that can't sign, and permissions that can't be used for them", () => {
		const facts = { ...everyKey, isUnsignable: (address: Uint8Array) => address === carol };
		const after = set(owner(2n, ann, bob, carol), active(2n, [ann, carol]));
		expect(permissionRemarks(before, after, facts)).toMatchObject([
			{ code: "keys_unsignable", level: 0, message: expect.stringContaining("the other keys weigh 2 of 2") },
			{ code: "keys_unsignable", level: 2, message: expect.stringContaining("it can't be used") },
		]);
	});

	it("warn of keys that everybody has", () => {
		const ten = (path: string) =>
			deriveAccounts(DEVELOPMENT_MNEMONIC, path, 10, 0n).map(({ address }) => address);
		const producer = addressOfPrivateKey(defaultProducerKey());
		const everybodys = [...ten(DEVELOPMENT_HD_PATH), ...ten("m/44'/60'/0'/0/"), producer];
		expect([...PUBLISHED_KEYS]).toEqual(everybodys.map((address) => toBase58Check(address)));
		const development = everybodys[0] as Uint8Array;
		const codesOf = (told: PermissionSet, after: PermissionSet) =>
			permissionRemarks(told, after, everyKey).map(({ code, level }) => [code, level]);
		const own = set(owner(1n, development), active(1n, [development]));
		expect(codesOf(before, own)).toEqual([["keys_published", 2]]);
		// Who has it already is told nothing new.
		expect(
			codesOf(own, set(owner(1n, development), active(1n, [development], parseOperations("Transfer")))),
		).toEqual([]);
	});

	it("take more than --yes for keys that only the node knows of", () => {
		const strangers = { ...everyKey, isKnown: (address: Uint8Array) => address === ann };
		const remarks = (told: PermissionSet, after: PermissionSet) =>
			permissionRemarks(told, after, strangers)
				.filter(({ unnamed }) => unnamed)
				.map(({ code, level }) => [code, level]);
		const shared = set(owner(1n, ann, bob), active(1n, [ann]));
		expect(remarks(shared, set(owner(1n, ann, bob), active(1n, [ann], parseOperations("Transfer"))))).toEqual(
			[["owner_unknown", 2]],
		);
		const used = set(owner(1n, ann), active(1n, [ann, carol]));
		expect(remarks(used, set(owner(1n, ann), active(1n, [carol])))).toEqual([["keys_unknown", 2]]);
		// A new key is the wish of whoever typed it.
		expect(remarks(before, set(owner(1n, ann, bob), old))).toEqual([]);
		expect(remarks(shared, before)).toEqual([]);
		// Unless it was a node who wrote it, which may say something else by now.
		const alone = { ...everyKey, isFromNode: true, isStated: () => false };
		const dropped = permissionRemarks(set(owner(2n, ann, bob), old), set(owner(1n, ann), old), alone);
		expect(dropped.map(({ code }) => code)).toContain("owner_unverified");
		const fromNode = permissionRemarks(before, set(owner(1n, ann, bob), active(1n, [carol])), {
			...strangers,
			isFromNode: true,
			isStated: () => false,
		});
		expect(
			fromNode.filter(({ unnamed, isNodesWord }) => unnamed || isNodesWord).map(({ code }) => code),
		).toEqual(["owner_unknown", "keys_unknown", "owner_unverified", "active_unverified"]);
	});

	it("take more than --yes for thresholds and operations that only the node knows of", () => {
		const words = (told: PermissionSet, after: PermissionSet, isStated = false) =>
			permissionRemarks(told, after, { ...everyKey, isStated: () => isStated })
				.filter(({ isNodesWord }) => isNodesWord)
				.map(({ code }) => code);
		const bot = active(1n, [bob], parseOperations("VoteWitness,AccountPermissionUpdate"));
		const told = set(owner(2n, ann, carol), old, bot);
		const renamed = (some: Permission) => Object.assign(Permission.copy(some), { permission_name: "other" });
		const after = set(owner(2n, ann, carol), renamed(old), bot);
		expect(words(told, after)).toEqual(["owner_unverified", "active_unverified"]);
		expect(words(told, after, true)).toEqual([]);
		// Whose key is the account's own, and what moves nothing, gives nobody more than he has.
		expect(words(set(owner(1n, ann), old), set(owner(1n, ann), renamed(old)))).toEqual([]);
		// Nor does what the owner's keys may do together, or what wasn't there before.
		const shared = active(2n, [ann, carol]);
		const two = set(owner(2n, ann, carol), shared);
		expect(words(two, set(owner(2n, ann, carol), renamed(shared)))).toEqual(["owner_unverified"]);
		expect(words(set(owner(1n, ann)), set(owner(1n, ann), bot))).toEqual([]);
		// A key that is added gets its place in a threshold that is the node's word.
		expect(words(set(owner(1n, ann), old), set(owner(1n, ann, carol), old))).toEqual(["owner_unverified"]);
		const votes = active(1n, [bob], parseOperations("VoteWitness"));
		expect(words(set(owner(1n, ann), votes), set(owner(1n, ann), renamed(votes)))).toEqual([]);
	});

	it("warn of a permission that stays with fewer signatures than the owner needs", () => {
		expect(codes(before, set(owner(2n, ann, bob, carol), old))).toEqual(["active_weaker_than_owner"]);
	});

	it.each([
		["the owner's own set", set(owner(2n, ann, bob), active(2n, [ann, bob]))],
		[
			"a permission that moves nothing",
			set(owner(1n, bob), active(1n, [ann], parseOperations("VoteWitness"))),
		],
		["a new permission of an owner's key", set(owner(1n, ann), old, active(1n, [ann]))],
	])("don't warn of %s", (_, after) => {
		expect(codes(before, after)).toEqual([]);
	});
});
