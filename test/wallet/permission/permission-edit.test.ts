import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { Key, Permission, PermissionPermissionType } from "../../../src/protocol/messages.js";
import { DEFAULT_OPERATIONS, operationNames } from "../../../src/wallet/permission/operations.js";
import {
	applyEdits,
	completed,
	type EditName,
	isStatedBy,
} from "../../../src/wallet/permission/permission-edit.js";
import type { PermissionSet } from "../../../src/wallet/permission/permission-set.js";

const ADDRESSES: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
	["ann", "bob", "carol"].map((name, i) => [name, fromHex(`41${`${i + 1}${i + 1}`.repeat(20)}`)]),
);
const address = (name: string): Uint8Array => ADDRESSES[name] ?? new Uint8Array(0);
const nameOf = (bytes: Uint8Array): string =>
	Object.keys(ADDRESSES).find((name) => toHex(address(name)) === toHex(bytes)) ?? "?";

const permission = (id: number, name: string, ...keys: string[]): Permission =>
	Permission.create({
		id,
		type: id < 2 ? id : PermissionPermissionType.Active,
		permission_name: name,
		threshold: 1n,
		operations: id < 2 ? new Uint8Array(0) : DEFAULT_OPERATIONS,
		keys: keys.map((key) => Key.create({ address: address(key), weight: 1n })),
	});

const before: PermissionSet = {
	owner: permission(0, "owner", "ann"),
	witness: undefined,
	actives: [permission(2, "active", "ann"), permission(3, "ops", "bob")],
};

/** `name threshold/key:weight,…` of every permission. */
function text({ owner, witness, actives }: PermissionSet): string[] {
	return [owner, ...(witness ? [witness] : []), ...actives].map(({ permission_name, threshold, keys }) => {
		const list = keys.map((key) => `${nameOf(key.address)}:${key.weight}`);
		return `${permission_name} ${threshold}/${list.join(",")}`;
	});
}

async function edited(set: PermissionSet, ...edits: [name: EditName, value: string][]): Promise<string[]> {
	const named = edits.map(([name, value]) => ({ name, value }));
	return text(await applyEdits(set, named, async (key) => address(key)));
}

const OWNER = "owner 1/ann:1";
const ACTIVE = "active 1/ann:1";
const OPS = "ops 1/bob:1";

describe("an edit of permissions", () => {
	test.each<[what: string, edits: [EditName, string][], after: string[]]>([
		["replaces the owner", [["owner", "2/ann, bob:2"]], ["owner 2/ann:1,bob:2", ACTIVE, OPS]],
		["adds a witness key", [["witness", "1/carol"]], [OWNER, "witness 1/carol:1", ACTIVE, OPS]],
		["replaces an active one by name", [["active", "ops=1/carol"]], [OWNER, ACTIVE, "ops 1/carol:1"]],
		["replaces an active one by id", [["active", "2=1/carol"]], [OWNER, "active 1/carol:1", OPS]],
		["adds an active one", [["active", "new=1/bob"]], [OWNER, ACTIVE, OPS, "new 1/bob:1"]],
		["adds a key", [["add-key", "ops=ann:3"]], [OWNER, ACTIVE, "ops 1/bob:1,ann:3"]],
		["gives a key another weight", [["add-key", "ops=bob:3"]], [OWNER, ACTIVE, "ops 1/bob:3"]],
		["takes a key away", [["remove-key", "owner=ann"]], ["owner 1/", ACTIVE, OPS]],
		["sets a threshold", [["threshold", "0=2"]], ["owner 2/ann:1", ACTIVE, OPS]],
		["renames", [["rename", "3=work"]], [OWNER, ACTIVE, "work 1/bob:1"]],
		["takes an active one away", [["remove-active", "active"]], [OWNER, OPS]],
		[
			"sees what those before it did",
			[
				["rename", "ops=work"],
				["threshold", "work=5"],
			],
			[OWNER, ACTIVE, "work 5/bob:1"],
		],
	])("%s", async (_, edits, after) => {
		expect(await edited(before, ...edits)).toEqual(after);
		expect(text(before)).toEqual([OWNER, ACTIVE, OPS]);
	});

	test("sets operations", async () => {
		const list = [{ name: "operations" as const, value: "ops=Transfer,VoteWitness" }];
		const { actives } = await applyEdits(before, list, async (key) => address(key));
		expect(operationNames(actives[1]?.operations ?? new Uint8Array(0))).toEqual(["Transfer", "VoteWitness"]);
		expect(actives[0]?.operations).toEqual(DEFAULT_OPERATIONS);
	});

	test.each<[what: string, name: EditName, value: string, message: RegExp]>([
		["keys without a threshold", "owner", "ann", /is not a set of keys/],
		["a weight that is not a number", "owner", "1/ann:x", /is not a key/],
		["no name", "threshold", "=2", /write <permission>=<value>/],
		["no value", "threshold", "ops=", /write <permission>=<value>/],
		["a threshold that is not a number", "threshold", "ops=x", /is not a threshold/],
		[
			"an unknown permission",
			"remove-active",
			"other",
			/no active permission "other"; there are active \(2\), ops/,
		],
		["a new active one with a number for a name", "active", "7=1/ann", /a new one needs a name/],
		["a key that isn't there", "remove-key", "ops=ann", /ann is not a key of the permission ops \(3\)/],
		["a witness where there is none", "threshold", "witness=1", /has no witness permission/],
	])("refuses %s", async (_, name, value, message) => {
		await expect(edited(before, [name, value])).rejects.toThrow(message);
	});

	test("of a name that two have asks for the id", async () => {
		const twice = { ...before, actives: [permission(2, "ops", "ann"), permission(3, "ops", "bob")] };
		await expect(edited(twice, ["threshold", "ops=2"])).rejects.toThrow(
			/2 active permissions are named "ops"/,
		);
		expect(await edited(twice, ["threshold", "3=2"])).toEqual([OWNER, "ops 1/ann:1", "ops 2/bob:1"]);
	});
});

test("an old account gets the permissions that the network requires, for its owner's keys", () => {
	const bare = { ...before, owner: permission(0, "owner", "ann", "bob"), actives: [] };
	expect(text(completed(bare, address("carol"), false))).toEqual([
		"owner 1/ann:1,bob:1",
		"active 1/ann:1,bob:1",
	]);
	expect(text(completed(bare, address("carol"), true))[1]).toBe("witness 1/carol:1");
	expect(text(completed(before, address("carol"), false))).toEqual([OWNER, ACTIVE, OPS]);
});

describe("a permission is stated whole", () => {
	const ops = permission(3, "ops", "carol");
	test.each<[isStated: boolean, what: Permission, edits: [name: EditName, value: string][]]>([
		[true, permission(0, "owner", "bob"), [["owner", "1/bob"]]],
		[false, permission(0, "owner", "ann"), [["add-key", "owner=bob"]]],
		[
			true,
			ops,
			[
				["active", "ops=1/carol"],
				["operations", "3=Transfer"],
			],
		],
		[false, ops, [["active", "ops=1/carol"]]],
		[
			false,
			ops,
			[
				["active", "ops=1/carol"],
				["operations", "ops=Transfer,-TriggerSmart"],
			],
		],
		[false, ops, [["operations", "ops=Transfer"]]],
		[
			false,
			ops,
			[
				["active", "other=1/carol"],
				["operations", "other=Transfer"],
			],
		],
		// A new one is what the command makes of it.
		[true, permission(4, "new", "carol"), [["active", "new=1/carol"]]],
	])("%s", (isStated, what, edits) => {
		const named = edits.map(([name, value]) => ({ name, value }));
		expect(isStatedBy(named, before, what)).toBe(isStated);
	});
});
