import { describe, expect } from "vitest";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import {
	type AccountPermissionUpdateContract,
	Key,
	Permission,
	PermissionPermissionType,
} from "../../src/protocol/messages.js";
import { DEFAULT_OPERATIONS } from "../../src/wallet/permission/operations.js";
import { errorRecord } from "./coin-process.js";
import { ADDRESSES, BASE58, RECIPIENT, send, type Wallet, it as walletTest } from "./wallet-fixture.js";

/** A wallet whose account has two active permissions. */
const it = walletTest.extend<{ readonly wallet: Wallet }>({
	wallet: async ({ wallet }, use) => {
		const keys = [Key.create({ address: ADDRESSES.ann, weight: 1n })];
		const active = (id: number, name: string, operations: Uint8Array) =>
			Permission.create({
				type: PermissionPermissionType.Active,
				id,
				permission_name: name,
				threshold: 1n,
				operations,
				keys,
			});
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n, {
			owner_permission: Permission.create({ permission_name: "owner", threshold: 1n, keys }),
			active_permission: [
				active(2, "active", DEFAULT_OPERATIONS),
				active(3, "pay", fromHex(`02${"00".repeat(31)}`)),
			],
		});
		await use(wallet);
	},
});

const sentUpdate = (wallet: Wallet): AccountPermissionUpdateContract =>
	wallet.node.received[0]?.parameter as unknown as AccountPermissionUpdateContract;

describe.concurrent("coin permission show", () => {
	it("names operations instead of a bitmap, and the local keys", async ({ wallet }) => {
		const { code, stdout } = await wallet.coin(["permission", "show", "--json"]);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({
			account: BASE58.ann,
			owner: {
				id: 0,
				type: "Owner",
				threshold: "1",
				keys: [{ address: BASE58.ann, weight: "1", local: true }],
			},
			actives: [
				{ id: 2, name: "active", operations: toHex(DEFAULT_OPERATIONS) },
				{ id: 3, name: "pay", operationNames: ["Transfer"] },
			],
		});
		const text = (await wallet.coin(["permission", "show", "ann"])).stdout;
		expect(text).toContain('active "pay" (id 3), threshold 1\n');
		expect(text).toContain("  may Transfer\n");
	});

	it("says that an account doesn't exist", async ({ wallet }) => {
		expect((await wallet.coin(["permission", "show", RECIPIENT])).stderr).toBe(
			`error: the account ${RECIPIENT} does not exist on this chain\n`,
		);
	});
});

describe.concurrent("coin permission update", () => {
	it("applies edits in their order, sends the whole set, and compares what the chain stored", async ({
		wallet,
	}) => {
		const words = [
			"permission",
			"update",
			"--operations",
			"pay=+VoteWitness,-Transfer",
			"--rename",
			"pay=vote",
		];
		const { code, stdout } = await wallet.coin([
			...words,
			"--threshold",
			"vote=1",
			"--yes",
			"--wait",
			...wallet.password(),
		]);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({
			state: "solid",
			type: "AccountPermissionUpdateContract",
			before: { actives: [{}, { name: "pay", operationNames: ["Transfer"] }] },
			after: { actives: [{}, { name: "vote", operationNames: ["VoteWitness"] }] },
		});
		expect(sentUpdate(wallet).actives.map((active) => active.permission_name)).toEqual(["active", "vote"]);
	});

	it("shows the changes before anything is signed", async ({ wallet }) => {
		const words = [
			"permission",
			"update",
			"--owner",
			`2/ann,${BASE58.bob}`,
			"--remove-active",
			"pay",
			"--dry-run",
			"--text",
		];
		const { stdout, stderr } = await wallet.coin(words);
		expect(stdout).toContain("threshold 1 → 2");
		expect(stdout).toContain(`+ ${BASE58.bob} weight 1`);
		expect(stdout).toContain('- active 3 "pay", removed');
		expect(stdout).toContain("fee         100coin");
		expect(stderr).toContain(`the local owner keys weigh 1 of 2: the rest is with ${BASE58.bob}`);
	});

	it("is of the account that is typed, whatever the environment says; of two that are typed it's of none", async ({
		wallet,
	}) => {
		const words = ["permission", "update", "ann", "--threshold", "pay=1", "--json"];
		const environment = { COIN_NODE: wallet.node.url, COIN_FROM: "bob" };
		const { code, stdout } = await wallet.home.run(words, "", environment);
		expect([code, stdout]).toEqual([0, expect.stringContaining("nothing to do")]);
		expect(errorRecord(await wallet.coin([...words, "--from", "bob"]))).toMatchObject({
			code: "conflicting_flags",
		});
	});

	it("takes its own show as a document", async ({ wallet }) => {
		const { stdout } = await wallet.coin(["permission", "show", "--json"]);
		const same = await wallet.coin(
			["permission", "update", "--file", "-", "--yes", ...wallet.password()],
			stdout,
		);
		expect([same.code, JSON.parse(same.stdout)]).toMatchObject([0, { state: "nothing to do" }]);
		const document = JSON.parse(stdout) as { actives: unknown[] };
		const shorter = JSON.stringify({ ...document, actives: document.actives.slice(0, 1) });
		const changed = await wallet.coin(
			["permission", "update", "--file", "-", "--yes", ...wallet.password()],
			shorter,
		);
		expect(changed.code).toBe(0);
		expect(sentUpdate(wallet).actives).toHaveLength(1);
	});

	it("is of the account that a document names, if none is typed and the keystore has it", async ({
		wallet,
	}) => {
		await wallet.addKey("bob");
		const { stdout } = await wallet.coin(["permission", "show", "ann", "--json"]);
		const same = await wallet.home.run(["permission", "update", "--file", "-", "--yes", "--json"], stdout, {
			COIN_NODE: wallet.node.url,
		});
		expect([same.code, same.stdout]).toEqual([0, expect.stringContaining("nothing to do")]);
		const typed = ["permission", "update", "bob", "--file", "-", "--yes", "--json"];
		expect(errorRecord(await wallet.coin(typed, stdout))).toMatchObject({ code: "conflicting_flags" });
	});

	it("takes no key from a document that a node wrote, if that node no longer says so", async ({ wallet }) => {
		const account = wallet.node.accounts.get(toHex(ADDRESSES.ann));
		const lie = [ADDRESSES.ann, ADDRESSES.carol].map((address) => Key.create({ address, weight: 1n }));
		const active_permission = account?.active_permission ?? [];
		const owner_permission = Permission.create({ permission_name: "owner", threshold: 1n, keys: lie });
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n, { owner_permission, active_permission });
		const { stdout } = await wallet.coin(["permission", "show", "--json"]);
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n, { ...account, active_permission });
		const words = ["permission", "update", "--file", "-", "--yes", ...wallet.password()];
		expect(errorRecord(await wallet.coin(words, stdout))).toMatchObject({
			code: "confirmation_needed",
			message: expect.stringContaining(BASE58.carol),
		});
		expect(wallet.node.received).toEqual([]);
	});

	it("takes a template for several keys", async ({ wallet }) => {
		await wallet.addKey("bob");
		const template = await wallet.coin([
			"permission",
			"template",
			"2of3",
			"ann",
			"bob",
			RECIPIENT,
			"--account",
			"ann",
		]);
		const updated = await wallet.coin(
			["permission", "update", "ann", "--file", "-", "--yes", ...wallet.password()],
			template.stdout,
		);
		expect(updated.code).toBe(0);
		expect(sentUpdate(wallet).owner).toMatchObject({
			threshold: 2n,
			keys: [{ weight: 1n }, { weight: 1n }, { weight: 1n }],
		});
		expect(toHex(sentUpdate(wallet).actives[0]?.operations ?? new Uint8Array(0))).toBe(
			toHex(DEFAULT_OPERATIONS),
		);
	});

	it.for<[string, string, string]>([
		[`1/${RECIPIENT}`, "owner_lockout", "no owner key is in the local keystore"],
		["2/ann,410000000000000000000000000000000000000000", "owner_unsignable", "can never be used again"],
	])("refuses to lock the owner out by %s, unless forced", async ([keyset, check, message], { wallet }) => {
		const words = ["permission", "update", "--owner", keyset, "--yes", ...wallet.password()];
		const refused = await wallet.coin(words);
		expect(refused).toMatchObject({ code: 1, stdout: "" });
		expect(errorRecord(refused)).toMatchObject({
			code: "owner_lockout",
			sent: false,
			details: { check },
			message: expect.stringContaining(message),
		});
		const wrong = await wallet.coin([...words, "--allow-lockout", "abcdef"]);
		expect(errorRecord(wrong)).toMatchObject({ code: "owner_lockout" });
		expect(wallet.node.received).toHaveLength(0);
		const forced = await wallet.coin([...words, "--allow-lockout", BASE58.ann.slice(-6)]);
		expect(forced.code).toBe(0);
		expect(wallet.node.received).toHaveLength(1);
	});

	it.for<[string[], number, string, string]>([
		[
			["--remove-active", "active", "--remove-active", "pay"],
			1,
			"contract_validate",
			"active permission is missed",
		],
		[
			["--threshold", "owner=2"],
			1,
			"contract_validate",
			"should not be less than threshold in permission Owner",
		],
		[["--add-key", `pay=${RECIPIENT}:0`], 1, "contract_validate", "key's weight should be greater than 0"],
		[["--rename", `pay=${"x".repeat(33)}`], 1, "contract_validate", "permission's name is too long"],
		[["--witness", `1/${RECIPIENT}`], 1, "contract_validate", "account isn't witness"],
		[["--operations", "pay=Fly"], 2, "bad_value", '"Fly" is not an operation'],
		[["--remove-key", `pay=${RECIPIENT}`], 2, "bad_value", "is not a key of the permission pay (3)"],
		[["--threshold", "nobody=1"], 2, "bad_value", 'there is no active permission "nobody"'],
		[["--owner", "two/ann"], 2, "bad_value", "is not a set of keys"],
		[["--file", "{}"], 2, "bad_value", "has no owner"],
		[["--file", "{", "--owner", "1/ann"], 2, "usage", "--file"],
		[[], 2, "usage", "no change"],
	])("refuses %j before anything is signed", async ([words, code, name, message], { wallet }) => {
		const outcome = await wallet.coin(["permission", "update", ...words, "--yes", ...wallet.password()]);
		expect(outcome).toMatchObject({ code, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({
			code: name,
			sent: false,
			message: expect.stringContaining(message),
		});
		expect(wallet.node.received).toHaveLength(0);
	});

	it("warns of the old key when an active permission stays with it, and asks before it builds", async ({
		wallet,
	}) => {
		await wallet.addKey("bob");
		const words = ["permission", "update", "ann", "--owner", `2/bob,${BASE58.carol}`];
		const refused = await wallet.coin([...words, "--build"]);
		expect(refused).toMatchObject({ code: 2, stdout: "" });
		expect(errorRecord(refused)).toMatchObject({
			code: "confirmation_needed",
			message: expect.stringContaining("active (2) may move funds (Transfer, TransferAsset"),
			details: { checks: ["owner_lockout_partial", "active_outside_owner", "active_outside_owner"] },
		});
		const done = await wallet.coin([...words, "--yes", ...wallet.password()]);
		expect(JSON.parse(done.stdout)).toMatchObject({
			warnings: [
				{ code: "owner_lockout_partial" },
				{
					code: "active_outside_owner",
					message: expect.stringContaining(`${BASE58.ann}, without any of the owner's keys`),
				},
				{ code: "active_outside_owner" },
				{ code: "operations_outdated" },
			].slice(0, 3),
		});
	});

	it("needs no agreement to build what takes nothing from the owner", async ({ wallet }) => {
		const built = await wallet.coin(["permission", "update", "--rename", "pay=x", "--build"]);
		expect(built.code).toBe(0);
	});

	it("takes more than --yes for an owner that only the node knows of", async ({ wallet }) => {
		const keys = [ADDRESSES.ann, ADDRESSES.carol].map((address) => Key.create({ address, weight: 1n }));
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n, {
			owner_permission: Permission.create({ permission_name: "owner", threshold: 1n, keys }),
			active_permission: wallet.node.accounts.get(toHex(ADDRESSES.ann))?.active_permission ?? [],
		});
		const update = (...words: string[]) =>
			wallet.coin([
				...["permission", "update", "--threshold", "pay=1", "--rename", "pay=wages", "--yes"],
				...words,
				...wallet.password(),
			]);
		expect(errorRecord(await update())).toMatchObject({
			code: "confirmation_needed",
			message: expect.stringContaining(BASE58.carol),
			hint: expect.stringContaining("--expect-owner"),
			details: { checks: ["owner_unknown", "owner_unverified"] },
		});
		expect(errorRecord(await update("--expect-owner", "ann"))).toMatchObject({
			code: "permission_changed",
			message: expect.stringContaining(`${BASE58.carol} too`),
			sent: false,
		});
		expect(wallet.node.received).toHaveLength(0);
		expect(errorRecord(await update("--expect-owner", `${BASE58.carol},ann`))).toMatchObject({
			code: "confirmation_needed",
			message: expect.stringContaining("only the node says how much each of the owner's keys weighs"),
			hint: expect.stringContaining("--trust-node"),
		});
		expect(errorRecord(await update("--expect-owner", `2/${BASE58.carol},ann`))).toMatchObject({
			code: "permission_changed",
			message: "the node says that the owner's threshold is 1",
		});
		expect((await update("--expect-owner", `1/${BASE58.carol},ann`)).code).toBe(0);
	});

	it("sends nothing for an account of the first block that has what is wanted", async ({ wallet }) => {
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n);
		const same = await wallet.coin(["permission", "update", "--owner", "1/ann", "--yes"]);
		expect(same.code, same.stderr).toBe(0);
		expect(JSON.parse(same.stdout)).toMatchObject({ state: "nothing to do" });
		expect(wallet.node.received).toEqual([]);
		const words = ["permission", "update", "--owner", `1/ann,${RECIPIENT}`, "--yes"];
		const more = await wallet.coin([...words, ...wallet.password()]);
		expect(more.code, more.stderr).toBe(0);
		expect(more.stderr).toContain(`warning: everybody has the key of ${RECIPIENT}`);
		expect(sentUpdate(wallet).actives).toHaveLength(1);
	});

	it("needs --yes without a terminal to ask on", async ({ wallet }) => {
		const outcome = await wallet.coin(["permission", "update", "--rename", "pay=x", ...wallet.password()]);
		expect(outcome.code).toBe(2);
		expect(errorRecord(outcome)).toMatchObject({ code: "confirmation_needed", sent: false });
	});
});

describe.concurrent("acting under an active permission", () => {
	it("is possible by its name", async ({ wallet }) => {
		const words = ["--permission", "pay", ...wallet.password()];
		expect((await wallet.coin([...send, ...words])).code).toBe(0);
		expect(wallet.node.received[0]?.contract?.Permission_id).toBe(3);
	});

	it("is refused for operations that it doesn't hold", async ({ wallet }) => {
		const words = [
			"permission",
			"update",
			"--rename",
			"pay=x",
			"--permission",
			"pay",
			"--yes",
			...wallet.password(),
		];
		expect(errorRecord(await wallet.coin(words))).toMatchObject({
			code: "not_authorized",
			message: "Permission denied: pay (3) may not do AccountPermissionUpdate",
		});
	});
});

describe.concurrent("coin permission operations", () => {
	const everything = "7fff1fc0037ef30f000000000000000000000000000000000000000000000000";
	it.for<[string, string]>([
		["Transfer,TriggerSmartContract", "0200008000000000000000000000000000000000000000000000000000000000"],
		["default", toHex(DEFAULT_OPERATIONS)],
		["all", everything],
		["all,-46", toHex(DEFAULT_OPERATIONS)],
		["0200000000000000000000000000000000000000000000000000000000000000", "Transfer"],
	])("reads %s", async ([words, expected], { wallet }) => {
		expect((await wallet.home.run(["permission", "operations", words])).stdout).toBe(`${expected}\n`);
	});

	it("knows the mask of the network's new accounts", () => {
		expect(toHex(DEFAULT_OPERATIONS)).toBe(`7fff1fc0033ef30f${"00".repeat(24)}`);
	});
});

describe.concurrent("coin wallet sign", () => {
	it("shows what a permission update changes before it is signed, and asks", async ({ wallet }) => {
		const built = await wallet.coin([
			"permission",
			"update",
			"--active",
			`ops=1/${RECIPIENT}`,
			"--build",
			"--yes",
		]);
		const refused = await wallet.coin(["wallet", "sign", ...wallet.password()], built.stdout);
		expect(errorRecord(refused)).toMatchObject({ code: "confirmation_needed", sent: false });
		const { code, stderr } = await wallet.coin(
			["wallet", "sign", "--yes", ...wallet.password()],
			built.stdout,
		);
		expect({ code, stderr }).toMatchObject({
			code: 0,
			stderr: expect.stringMatching(/^warning: .*keys that are not the owner's/m),
		});
		expect(stderr).toMatch(
			/ {2}changes .*\n.*owner, as the node says.*\n[\s\S]*\n {2}\+ active 4 "ops", threshold 1\n/,
		);
		const offline = await wallet.coin(
			["wallet", "sign", "--offline", "--yes", ...wallet.password()],
			built.stdout,
		);
		expect(offline.stderr).toMatch(/^warning: .*keys that are not the owner's/);
	});

	it("asks before it signs an allowance without a limit, and not for one with a limit", async ({
		wallet,
	}) => {
		const built = async (amount: string) =>
			(
				await wallet.coin([
					...["token", "allow", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", BASE58.bob, amount, "--build", "--yes"],
					...["--offline", "--ref-block", `1:${"0".repeat(15)}1${"ab".repeat(24)}`],
					...["--expires", `@${Date.now() + 600_000}`, "--fee-limit", "1coin"],
				])
			).stdout;
		const sign = async (amount: string) =>
			await wallet.coin(["wallet", "sign", ...wallet.password()], await built(amount));
		expect(errorRecord(await sign("max"))).toMatchObject({ code: "confirmation_needed" });
		expect(await sign("5raw")).toMatchObject({ code: 0 });
	});
});
