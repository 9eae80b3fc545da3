import { describe, expect } from "vitest";
import { toBase58Check } from "../../src/protocol/address.js";
import { fromHex } from "../../src/protocol/bytes.js";
import { AccountType, Key, Permission } from "../../src/protocol/messages.js";
import { recoverAddress } from "../../src/protocol/signature.js";
import { errorRecord } from "./coin-process.js";
import { FakeNode } from "./fake-node.js";
import { ADDRESSES, BASE58, it, RECIPIENT, send, type Wallet } from "./wallet-fixture.js";

describe.concurrent("a transaction on its way between signers", () => {
	const twoOfThree = (wallet: Wallet): void => {
		const keys = [ADDRESSES.ann, ADDRESSES.bob, ADDRESSES.carol].map((address) =>
			Key.create({ address, weight: 1n }),
		);
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n, {
			owner_permission: Permission.create({ permission_name: "owner", threshold: 2n, keys }),
		});
	};

	it("goes through build, sign, sign and broadcast", async ({ wallet }) => {
		twoOfThree(wallet);
		await wallet.addKey("bob");
		const built = await wallet.coin([...send, "--from", "ann", "--build"]);
		expect(built).toMatchObject({ code: 0, stderr: "" });
		const envelope = JSON.parse(built.stdout) as { signature?: unknown; coin: Record<string, unknown> };
		expect(envelope.signature).toBeUndefined();
		expect(envelope.coin).toMatchObject({
			v: 1,
			chain: wallet.node.genesisId,
			account: BASE58.ann,
			weight: "0",
			missing: "2",
			ready: false,
		});

		const early = await wallet.coin(["wallet", "broadcast"], built.stdout);
		expect(errorRecord(early)).toMatchObject({ code: "threshold_not_reached", sent: false });
		const once = await wallet.coin(["wallet", "sign", "--signer", "ann", ...wallet.password()], built.stdout);
		expect(JSON.parse(once.stdout)).toMatchObject({
			coin: { weight: "1", missing: "1", approved: [{ address: BASE58.ann, weight: "1" }] },
		});
		const again = await wallet.coin(["wallet", "sign", "--signer", "ann", ...wallet.password()], once.stdout);
		expect(errorRecord(again)).toMatchObject({ code: "already_signed" });
		const twice = await wallet.coin(["wallet", "sign", "--signer", "bob", ...wallet.password()], once.stdout);
		expect(JSON.parse(twice.stdout)).toMatchObject({ coin: { ready: true, missing: "0" } });

		const approvals = await wallet.coin(["wallet", "approvals", "--json", "--require"], twice.stdout);
		expect(JSON.parse(approvals.stdout)).toMatchObject({
			weight: "2",
			ready: true,
			approved: [
				{ address: BASE58.ann, name: "ann" },
				{ address: BASE58.bob, name: "bob" },
			],
			outstanding: [{ address: BASE58.carol }],
			source: "node",
		});
		const done = await wallet.coin(["wallet", "broadcast", "--wait"], twice.stdout);
		expect(JSON.parse(done.stdout)).toMatchObject({ state: "solid", from: BASE58.ann });
		expect(wallet.node.received[0]?.message.signature).toHaveLength(2);
	});

	it("is built of the members that its type has, and not for a contract", async ({ wallet }) => {
		const build = (type: string, body: object, ...words: string[]) =>
			wallet.coin(["wallet", "build", type, "--data", JSON.stringify(body), ...words]);
		expect(errorRecord(await build("TransferContract", { to_address: RECIPIENT, amuont: 1 }))).toMatchObject({
			message: 'TransferContract has the unknown member "amuont"',
			hint: "did you mean amount?",
		});
		const nested = await build("CreateSmartContract", { new_contract: { call_vaule: 1 } });
		expect(errorRecord(nested)).toMatchObject({ hint: "did you mean call_value?" });
		wallet.node.fund(ADDRESSES.bob, 1n, { type: AccountType.Contract });
		const body = { to_address: BASE58.bob, amount: 1 };
		expect(errorRecord(await build("TransferContract", body))).toMatchObject({
			message: expect.stringContaining("the recipient is a contract"),
		});
		expect((await build("TransferContract", body, "--force")).code).toBe(0);
	});

	it("is shown on standard error before a password file signs it, unless that is unwanted", async ({
		wallet,
	}) => {
		const built = await wallet.coin([...send, "--build"]);
		const sign = (...words: string[]) =>
			wallet.coin(["wallet", "sign", ...words, ...wallet.password()], built.stdout);
		const { code, stderr } = await sign();
		expect(code).toBe(0);
		expect(stderr).toContain(`25coin`);
		expect(stderr).toContain(RECIPIENT);
		expect(await sign("--quiet")).toMatchObject({ code: 0, stderr: "" });
	});

	it("is refused by wallet send when the keys at hand weigh too little", async ({ wallet }) => {
		twoOfThree(wallet);
		const outcome = await wallet.coin([...send, ...wallet.password()]);
		expect(errorRecord(outcome)).toMatchObject({ code: "threshold_not_reached", sent: false });
	});

	it("merges copies that were signed in parallel, in the order of the permission", async ({ wallet }) => {
		twoOfThree(wallet);
		await wallet.addKey("bob");
		const built = (await wallet.coin([...send, "--from", "ann", "--build"])).stdout;
		const files: string[] = [];
		for (const name of ["bob", "ann"]) {
			const signed = await wallet.coin(["wallet", "sign", "--signer", name, ...wallet.password()], built);
			files.push(wallet.home.write(`${name}.json`, signed.stdout));
		}
		const merged = await wallet.coin(["wallet", "merge", ...files]);
		const {
			signature,
			raw_data_hex: raw,
			txID,
		} = JSON.parse(merged.stdout) as {
			signature: string[];
			raw_data_hex: string;
			txID: string;
		};
		expect(raw).toBe((JSON.parse(built) as { raw_data_hex: string }).raw_data_hex);
		const signers = signature.map((text) => toBase58Check(recoverAddress(fromHex(txID), fromHex(text))));
		expect(signers).toEqual([BASE58.ann, BASE58.bob]);
	});

	it("can be signed without a node, believing the envelope", async ({ wallet }) => {
		const built = await wallet.coin([...send, "--build"]);
		await wallet.node.stop();
		const signed = await wallet.home.run(["wallet", "sign", "--offline", ...wallet.password()], built.stdout);
		expect(signed.code).toBe(0);
		expect(JSON.parse(signed.stdout)).toMatchObject({
			signature: [expect.any(String)],
			coin: { ready: true },
		});
		const bare = JSON.parse(built.stdout) as Record<string, unknown>;
		const without = await wallet.home.run(
			["wallet", "sign", "--offline", ...wallet.password()],
			JSON.stringify({ ...bare, coin: undefined }),
		);
		expect(without.code).toBe(2);
		wallet.node = await FakeNode.start();
	});

	it.for<[string, (text: string) => string, string]>([
		[
			"an amount that was changed in the readable part",
			(text: string) => text.replace('"amount":25000000', '"amount":2500000'),
			"transaction_mismatch",
		],
		[
			"a rounded number",
			(text: string) => text.replace(/"timestamp":\d+/, '"timestamp":1e21'),
			"transaction_mismatch",
		],
		["another txID", (text: string) => text.replace(/"txID":"..../, '"txID":"0000'), "transaction_mismatch"],
		[
			"bytes that are not a transaction",
			(text: string) =>
				text
					.replace(/"raw_data_hex":"[0-9a-f]+"/, '"raw_data_hex":"ffff"')
					.replace(/"txID":"[0-9a-f]+",/, ""),
			"transaction_invalid",
		],
		["half a line", (text: string) => text.slice(0, 100), "transaction_invalid"],
		[
			"another chain",
			(text: string) => text.replace(/"chain":"[0-9a-f]{4}/, '"chain":"dead'),
			"wrong_network",
		],
		["no transaction", () => "{}", "transaction_invalid"],
		["nothing", () => "", "stdin_empty"],
	])("is refused with %s, before a password is asked for", async ([_, spoil, code], { wallet }) => {
		const built = await wallet.coin([...send, "--build"]);
		const outcome = await wallet.coin(["wallet", "sign"], spoil(built.stdout));
		expect(outcome.stdout).toBe("");
		expect(errorRecord(outcome)).toMatchObject({ code, sent: false });
	});

	it("is refused after its time", async ({ wallet }) => {
		const built = await wallet.coin([...send, "--build"]);
		wallet.node.seal([], BigInt(Date.now() + 13 * 3_600_000));
		expect(
			errorRecord(await wallet.coin(["wallet", "sign", ...wallet.password()], built.stdout)),
		).toMatchObject({
			code: "tx_expired",
		});
		expect(errorRecord(await wallet.coin(["wallet", "broadcast"], built.stdout))).toMatchObject({
			code: "tx_expired",
		});
	});

	it("is signed in a stream, one line for each, and stops at the first that fails", async ({ wallet }) => {
		const lines = [];
		for (const memo of ["a", "b"])
			lines.push((await wallet.coin([...send, "--memo", memo, "--build"])).stdout);
		const signed = await wallet.coin(["wallet", "sign", "--batch", ...wallet.password()], lines.join(""));
		expect(signed.stdout.trim().split("\n")).toHaveLength(2);
		const sent = await wallet.coin(["wallet", "broadcast"], signed.stdout);
		expect(sent.stdout.trim().split("\n")).toHaveLength(2);
		expect(wallet.node.received).toHaveLength(2);
	});

	/** Signed payments of ann, a line each. */
	const signedBy = async (wallet: Wallet, ...memos: string[]): Promise<string[]> => {
		const lines: string[] = [];
		for (const memo of memos) lines.push((await wallet.coin([...send, "--memo", memo, "--build"])).stdout);
		const { stdout } = await wallet.coin(["wallet", "sign", "--batch", ...wallet.password()], lines.join(""));
		return stdout.trim().split("\n");
	};

	it("is sent with too little weight if that is forced, but not to another chain, nor after its time", async ({
		wallet,
	}) => {
		twoOfThree(wallet);
		const [signed = "", unsent = ""] = await signedBy(wallet, "a", "b");
		const broadcast = (text: string) => wallet.coin(["wallet", "broadcast", "--force"], text);
		const elsewhere = signed.replace(/"chain":"[0-9a-f]{4}/, '"chain":"dead');
		expect(errorRecord(await broadcast(elsewhere))).toMatchObject({ code: "wrong_network", sent: false });
		expect((await broadcast(signed)).code).toBe(0);
		wallet.node.seal([], BigInt(Date.now() + 13 * 3_600_000));
		expect(errorRecord(await broadcast(unsent))).toMatchObject({ code: "tx_expired", sent: "unknown" });
		expect(wallet.node.received).toHaveLength(1);
	});

	it("isn't called unsent, nor to be made anew, once its time is over and it is in a block", async ({
		wallet,
	}) => {
		const [first = "", second = ""] = await signedBy(wallet, "a", "b");
		for (const signed of [first, second])
			expect((await wallet.coin(["wallet", "broadcast"], signed)).code).toBe(0);
		wallet.node.seal([], BigInt(Date.now() + 13 * 3_600_000));
		for (const words of [["broadcast"], ["broadcast", "--force"], ["sign"]])
			expect(errorRecord(await wallet.coin(["wallet", ...words], first))).toMatchObject({
				code: "duplicate",
				sent: true,
				retry: "never",
			});
		const approvals = await wallet.coin(["wallet", "approvals", "--json"], first);
		expect(JSON.parse(approvals.stdout)).toMatchObject({ expired: true, state: "solid" });
		const late = JSON.stringify({ code: "TRANSACTION_EXPIRATION_ERROR", message: "" });
		wallet.node.handlers.set("broadcasthex", () => late);
		const both = await wallet.coin(["wallet", "broadcast", "--wait"], `${first}\n${second}`);
		expect(both.stdout.match(/"state":"solid"/g)).toHaveLength(2);
		// At a node without records its blocks tell.
		for (const name of ["gettransactioninfobyid", "gettransactionbyid"])
			wallet.node.handlers.set(name, () => "{}");
		expect(errorRecord(await wallet.coin(["wallet", "broadcast"], first))).toMatchObject({
			code: "duplicate",
			sent: true,
		});
	});

	it("isn't called unsent once it is in a block and the account's permission is another one", async ({
		wallet,
	}) => {
		const [signed = ""] = await signedBy(wallet, "a");
		expect((await wallet.coin(["wallet", "broadcast"], signed)).code).toBe(0);
		const keys = [Key.create({ address: ADDRESSES.bob, weight: 1n })];
		const owner = Permission.create({ permission_name: "owner", threshold: 1n, keys });
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n, { owner_permission: owner });
		const asked = { code: "duplicate", sent: true };
		expect(errorRecord(await wallet.coin(["wallet", "broadcast"], signed))).toMatchObject(asked);
		expect(errorRecord(await wallet.coin(["wallet", "sign"], signed))).toMatchObject(asked);
		const approvals = await wallet.coin(["wallet", "approvals", "--json"], signed);
		expect(errorRecord(approvals)).toMatchObject({ code: "duplicate" });
		for (const name of ["gettransactioninfobyid", "gettransactionbyid"])
			wallet.node.handlers.set(name, () => "{}");
		expect(errorRecord(await wallet.coin(["wallet", "broadcast"], signed))).toMatchObject({
			code: "not_authorized",
			sent: "unknown",
			retry: "wait",
		});
	});

	it("is judged with all others before the first is sent, with --keep-going by itself", async ({
		wallet,
	}) => {
		const [first = ""] = await signedBy(wallet, "a");
		const unsigned = (await wallet.coin([...send, "--memo", "b", "--build"])).stdout;
		const broadcast = (...words: string[]) =>
			wallet.coin(["wallet", "broadcast", ...words], `${first}\n${unsigned}`);
		expect(errorRecord(await broadcast())).toMatchObject({
			code: "threshold_not_reached",
			index: 1,
			sent: false,
		});
		expect(wallet.node.received).toHaveLength(0);
		const { code, stdout } = await broadcast("--keep-going");
		expect([code, stdout.trim().split("\n").at(-1)]).toEqual([1, "null"]);
		expect(wallet.node.received).toHaveLength(1);
	});

	it.for([
		["wallet", "broadcast"],
		["wallet", "sign"],
		["wallet", "sign", "--batch"],
	])("is not held up by an input that can't be read with --keep-going: %j", async (command, { wallet }) => {
		const [first, second] = await signedBy(wallet, "a", "b");
		const signs = command[1] === "sign";
		const words = signs ? ["--skip-signed", ...wallet.password()] : [];
		const text = `${first}\n{"raw_data_hex":"ffff"}\n${second}\n`;
		const { code, stdout, stderr } = await wallet.coin([...command, ...words, "--keep-going"], text);
		expect(code).toBe(1);
		expect(stdout.trim().split("\n")).toEqual([expect.any(String), "null", expect.any(String)]);
		expect(stderr).toContain('"code":"transaction_invalid"');
		expect(stderr).toContain('"index":1');
		expect(wallet.node.received).toHaveLength(signs ? 0 : 2);
		expect(errorRecord(await wallet.coin([...command, ...words], text))).toMatchObject({ index: 1 });
	});

	it("is sent with all others although nobody reads the results", async ({ wallet }) => {
		const lines = await signedBy(wallet, "a", "b", "c");
		const environment = { COIN_NODE: wallet.node.url };
		const { child, outcome } = wallet.home.start(["wallet", "broadcast"], lines.join("\n"), environment);
		child.stdout?.destroy();
		expect(await outcome).toMatchObject({ code: 0, stderr: "" });
		expect(wallet.node.received).toHaveLength(3);
	});

	it("is weighed by the node, too, and a difference is a warning", async ({ wallet }) => {
		const [signed = ""] = await signedBy(wallet, "a");
		const approvals = () => wallet.coin(["wallet", "approvals", "--json"], signed);
		const agreed = '{"result":{},"current_weight":1}';
		for (const answer of [agreed, '{"result":{"code":"NOT_ENOUGH_PERMISSION"},"current_weight":0}']) {
			wallet.node.handlers.set("getsignweight", (body) => {
				expect(JSON.parse(body)).toMatchObject({ visible: true, signature: [expect.any(String)] });
				return answer;
			});
			const { code, stdout, stderr } = await approvals();
			const message = "the node counts a weight of 0, not enough; by the account's permission it is 1";
			const differs = answer !== agreed;
			expect([code, stderr]).toEqual([0, differs ? `warning: ${message}\n` : ""]);
			const { warnings } = JSON.parse(stdout) as { warnings?: unknown };
			expect(warnings).toEqual(differs ? [{ code: "weight_disagrees", message }] : undefined);
		}
	});

	it("is decoded without a node", async ({ wallet }) => {
		const built = await wallet.coin([...send, "--build"]);
		const { stdout } = await wallet.home.run(["tx", "decode", "--json"], built.stdout);
		expect(JSON.parse(stdout)).toMatchObject({
			type: "TransferContract",
			from: BASE58.ann,
			contract: { owner_address: BASE58.ann, to_address: RECIPIENT, amount: "25000000" },
			signers: [],
		});
	});
});
