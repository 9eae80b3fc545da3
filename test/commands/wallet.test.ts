import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { parseAddress, toBase58Check } from "../../src/protocol/address.js";
import { type ContractType, contractTypeByName } from "../../src/protocol/contract-types.js";
import { transactionJson } from "../../src/protocol/json/transaction-json.js";
import { AccountType, TransferContract } from "../../src/protocol/messages.js";
import { awaited } from "./awaited.js";
import { errorRecord } from "./coin-process.js";
import { ADDRESSES, BASE58, it, RECIPIENT, send } from "./wallet-fixture.js";

describe.concurrent("coin wallet send", () => {
	it("signs what it asked for, sends it once, and reports one line", async ({ wallet }) => {
		const { code, stdout, stderr } = await wallet.coin([...send, ...wallet.password()]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout.split("\n")).toHaveLength(2);
		const [transaction] = wallet.node.received;
		expect(wallet.node.received).toHaveLength(1);
		expect(JSON.parse(stdout)).toEqual({
			txID: transaction?.idHex,
			state: "submitted",
			type: "TransferContract",
			from: BASE58.ann,
			to: RECIPIENT,
			amount: "25000000",
			permission: 0,
		});
		expect(transaction && toBase58Check(transaction.signer(0))).toBe(BASE58.ann);
		expect(transaction?.parameter).toMatchObject({
			amount: 25_000_000n,
			to_address: parseAddress(RECIPIENT),
		});
	});

	it("waits until the transaction is irreversible and says what it cost", async ({ wallet }) => {
		const { code, stdout } = await wallet.coin([...send, ...wallet.password(), "--wait"]);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({
			state: "solid",
			block: "2",
			result: "SUCCESS",
			fee: "100",
			bandwidth: "268",
		});
	});

	it("asks before a payment to the zero address, one of a list too", async ({ wallet }) => {
		const zero = `0x${"00".repeat(20)}`;
		const single = await wallet.coin(["send", zero, "1coin", ...wallet.password()]);
		expect(errorRecord(single)).toMatchObject({ code: "confirmation_needed", sent: false });
		const batch = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n${zero},1coin\n`);
		const list = await wallet.coin(["send", "--batch", batch, ...wallet.password()]);
		expect(errorRecord(list)).toMatchObject({
			code: "confirmation_needed",
			message: expect.stringContaining("line 3 burns it: T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"),
		});
		expect((await wallet.coin(["send", zero, "1coin", "--yes", ...wallet.password()])).code).toBe(0);
	});

	it("asks before a payment to a contact that was a contract and is none", async ({ wallet }) => {
		wallet.node.fund(ADDRESSES.bob, 1n, { type: AccountType.Contract });
		const added = await wallet.coin(["contact", "add", "shop", BASE58.bob, "--json"]);
		expect(JSON.parse(added.stdout)).toMatchObject({ label: "shop", contract: wallet.node.genesisId });
		wallet.node.fund(ADDRESSES.bob, 1n);
		const outcome = await wallet.coin(["send", "shop", "1coin", ...wallet.password()]);
		expect(errorRecord(outcome)).toMatchObject({
			code: "confirmation_needed",
			message: expect.stringContaining("nobody may have a key of it"),
		});
	});

	it("tells people in words", async ({ wallet }) => {
		const { stdout } = await wallet.coin([...send, ...wallet.password(), "--wait", "--text"]);
		expect(stdout).toMatch(
			new RegExp(
				`^solid: 25coin from ${BASE58.ann} \\(ann\\) to ${RECIPIENT}\n  transaction [0-9a-f]{64}\n  block       2, SUCCESS\n`,
			),
		);
	});

	it("reads a node of the deployed spelling as well", async ({ wallet }) => {
		wallet.node.dialect = "deployed";
		expect((await wallet.coin([...send, ...wallet.password(), "--wait"])).code).toBe(0);
		const refused = await wallet.coin([
			"wallet",
			"send",
			"--to",
			RECIPIENT,
			"--amount",
			"5000coin",
			...wallet.password(),
		]);
		expect(errorRecord(refused)).toMatchObject({
			code: "insufficient_funds",
			node: { code: "ContractValidateException" },
		});
	});

	it("puts memo, expiry and reference block into the bytes itself", async ({ wallet }) => {
		const expires = String(Date.now() + 3_600_000);
		const words = [
			...send,
			"--memo",
			"hello",
			"--expires",
			`@${expires}`,
			"--ref-block",
			"0",
			...wallet.password(),
		];
		expect((await wallet.coin(words)).code).toBe(0);
		const raw = wallet.node.received[0]?.raw;
		expect(Buffer.from(raw?.data ?? []).toString()).toBe("hello");
		expect(String(raw?.expiration)).toBe(expires);
		expect(Buffer.from(raw?.ref_block_hash ?? []).toString("hex")).toBe(wallet.node.genesisId.slice(16, 32));
	});

	it("sends everything but the fees", async ({ wallet }) => {
		wallet.node.handlers.set("getchainparameters", () =>
			JSON.stringify({
				chainParameter: [
					{ key: "getTransactionFee", value: 1000 },
					{ key: "getMemoFee", value: 1_000_000 },
					{ key: "getCreateAccountFee", value: 100_000 },
					{ key: "getCreateNewAccountFeeInSystemContract", value: 1_000_000 },
				],
			}),
		);
		wallet.node.handlers.set("getaccountresource", () => '{"freeNetLimit":600,"freeNetUsed":0}');
		const max = (to: string, ...words: string[]) =>
			wallet.coin(["wallet", "send", "--to", to, "--amount", "max", ...words, ...wallet.password()]);
		wallet.node.fund(ADDRESSES.bob, 1n);
		const free = await max(BASE58.bob);
		expect(JSON.parse(free.stdout)).toMatchObject({ amount: "1000000000" });
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n);
		const created = await max(RECIPIENT, "--memo", "hi");
		expect(JSON.parse(created.stdout)).toMatchObject({
			amount: String(1_000_000_000 - 100_000 - 1_000_000 - 1_000_000),
		});
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n);
		wallet.node.handlers.set("getaccountresource", () => '{"freeNetLimit":600,"freeNetUsed":590}');
		const burned = await max(BASE58.bob);
		const size = wallet.node.received.at(-1)?.sizeWithoutResults ?? 0;
		expect(JSON.parse(burned.stdout)).toMatchObject({ amount: String(1_000_000_000 - (size + 64) * 1000) });
		wallet.node.fund(ADDRESSES.ann, 1000n);
		expect(errorRecord(await max(BASE58.bob))).toMatchObject({ code: "insufficient_funds", sent: false });
	});

	it.for<[string, string]>([
		["CSV", `to,amount,memo\n${RECIPIENT},1coin,"a, b"\n# a comment\n${BASE58.bob},2coin,\n`],
		[
			"lines of JSON",
			`{"to":"${RECIPIENT}","amount":"1coin","memo":"a, b"}\n{"to":"${BASE58.bob}","amount":"2coin"}\n`,
		],
	])("pays a list of payments from %s, one line of result each", async ([_, text], { wallet }) => {
		const { code, stdout } = await wallet.coin(
			["wallet", "send", "--batch", "-", "--journal", "paid", ...wallet.password()],
			text,
		);
		expect(code).toBe(0);
		const lines = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, string>);
		expect(lines.map(({ to, amount }) => [to, amount])).toEqual([
			[RECIPIENT, "1000000"],
			[BASE58.bob, "2000000"],
		]);
		expect(Buffer.from(wallet.node.received[0]?.raw?.data ?? []).toString()).toBe("a, b");
	});

	it("pays nothing of a list with a line that can't be paid, or goes on if told to", async ({ wallet }) => {
		const text = `to,amount\n${RECIPIENT},1coin\n${RECIPIENT},5000coin\n${RECIPIENT},2coin\n`;
		const stopped = await wallet.coin([
			"wallet",
			"send",
			"--batch",
			wallet.home.write("pay.csv", text),
			...wallet.password(),
		]);
		expect(stopped).toMatchObject({ code: 1, stdout: "" });
		expect(errorRecord(stopped)).toMatchObject({
			code: "insufficient_funds",
			message: expect.stringMatching(/^line 3: .*; no line was sent$/),
			index: 1,
			sent: false,
			details: { line: 3, sent: [], unsent: [2, 3, 4] },
		});
		expect(wallet.node.received).toHaveLength(0);
		const several = await wallet.coin([
			...["wallet", "send", "--batch", wallet.home.write("pay.csv", `to,amount\n${"x,5\n".repeat(7)}`)],
			...wallet.password(),
		]);
		expect(errorRecord(several)).toMatchObject({
			message: expect.stringMatching(
				/^line 2: "x" is .*; line 3: "x" is .*; line 6: "x" is .*; lines 7-8 can't be paid either; no line was sent$/,
			),
		});
		const whole = await wallet.coin(
			[...["wallet", "send", "--batch", "-", "--journal", "paid", "--keep-going"], ...wallet.password()],
			text,
		);
		expect(whole.code).toBe(1);
		expect(
			whole.stdout
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line) as unknown),
		).toMatchObject([{}, null, {}]);
		const unreadable = await wallet.coin(["wallet", "send", "--batch", "-"], "to,amount\nx,5\n");
		expect(errorRecord(unreadable)).toMatchObject({ sent: false });
	});

	it("checks everything and sends nothing with --dry-run", async ({ wallet }) => {
		const { code, stdout } = await wallet.coin([...send, "--dry-run"]);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({ type: "TransferContract", from: BASE58.ann, sent: false });
		expect(wallet.node.received).toHaveLength(0);
	});

	it("says what a whole list comes to with --dry-run", async ({ wallet }) => {
		const text = `to,amount\n${RECIPIENT},1coin\n${BASE58.bob},2coin\n`;
		const { code, stdout } = await wallet.coin(["wallet", "send", "--batch", "-", "--dry-run"], text);
		expect(code).toBe(0);
		const lines = stdout.trim().split("\n");
		expect(lines).toHaveLength(3);
		expect(JSON.parse(lines[2] ?? "")).toMatchObject({
			payments: 2,
			accounts: 2,
			amounts: [{ asset: "coin", amount: "3000000", text: "3coin" }],
			fees: { creationSun: "0", energySun: "0" },
			newAccounts: [RECIPIENT, BASE58.bob],
			contracts: [],
			firstPayments: [],
			sent: false,
		});
		expect(wallet.node.received).toHaveLength(0);
	});

	it("refuses a node that builds another transaction than was asked for", async ({ wallet }) => {
		const type = contractTypeByName("TransferContract") as ContractType;
		const stolen = TransferContract.create({
			owner_address: ADDRESSES.ann,
			to_address: ADDRESSES.bob,
			amount: 25_000_000n,
		});
		wallet.node.handlers.set("createtransaction", () =>
			transactionJson(
				wallet.node.transaction(type, stolen),
				{ visible: false, dialect: "neutral" },
				{ visible: true },
			),
		);
		const outcome = await wallet.coin([...send, ...wallet.password()]);
		expect(outcome).toMatchObject({ code: 2, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({ code: "transaction_mismatch", sent: false });
		expect(wallet.node.received).toHaveLength(0);
	});

	it("refuses a node whose txID is not the hash of its bytes", async ({ wallet }) => {
		wallet.node.handlers.set("createtransaction", () => {
			const type = contractTypeByName("TransferContract") as ContractType;
			const asked = TransferContract.create({
				owner_address: ADDRESSES.ann,
				to_address: ADDRESSES.bob,
				amount: 1n,
			});
			const text = transactionJson(wallet.node.transaction(type, asked), {
				visible: false,
				dialect: "neutral",
			});
			return text.replace(/"txID":"[0-9a-f]{2}/, '"txID":"ff');
		});
		expect(errorRecord(await wallet.coin([...send, ...wallet.password()]))).toMatchObject({
			code: "transaction_mismatch",
			sent: false,
		});
	});

	it.for<[string[], number, string]>([
		[["--amount", "5000coin"], 1, "insufficient_funds"],
		[["--amount", "25"], 2, "amount_unit"],
		[["--amount", "0"], 2, "bad_value"],
		[["--to", "nobody"], 1, "wallet_not_found"],
		[["--to", `${RECIPIENT.slice(0, -1)}D`], 2, "bad_address"],
		[["--from", BASE58.bob], 1, "wallet_not_found"],
		[["--expires", "25h"], 2, "bad_value"],
		[["--permission", "1"], 1, "not_authorized"],
		[["--permission", "7"], 1, "not_authorized"],
		[["--build", "--sign"], 2, "usage"],
		[["--offline"], 2, "conflicting_flags"],
		[["--profile", "nowhere"], 2, "usage"],
		[["--password-file", "empty"], 1, "bad_password"],
	])("refuses %j before anything is sent", async ([words, code, name], { wallet }) => {
		wallet.home.write("empty", "");
		const outcome = await wallet.coin([
			...send.filter((_, i) => !words.includes(send[i - (i % 2)] ?? "") || i < 2),
			...words,
			...(words.includes("--password-file") ? [] : wallet.password()),
		]);
		expect(outcome).toMatchObject({ code, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({ code: name, sent: false });
		expect(wallet.node.received).toHaveLength(0);
	});

	it("needs a password that it can get", async ({ wallet }) => {
		const outcome = await wallet.coin(send);
		expect(outcome.code).toBe(2);
		expect(errorRecord(outcome)).toMatchObject({ code: "password_required", sent: false });
	});
});

describe.concurrent("what a node's refusal becomes", () => {
	it.for<[string, string, string, boolean | "unknown"]>([
		["SIGERROR", "Validate signature error: sig error", "not_authorized", "unknown"],
		["CONTRACT_VALIDATE_ERROR", "Contract validate error : no OwnerAccount", "contract_validate", "unknown"],
		["BANDWITH_ERROR", "Account resource insufficient error.", "insufficient_resource", "unknown"],
		["DUP_TRANSACTION_ERROR", "Dup transaction.", "duplicate", true],
		["TAPOS_ERROR", "Tapos check error.", "tapos", "unknown"],
		["TRANSACTION_EXPIRATION_ERROR", "Transaction expired", "tx_expired", "unknown"],
		["SERVER_BUSY", "Server busy.", "node_busy", "unknown"],
		["NO_CONNECTION", "No connection.", "no_connection", "unknown"],
		["NOT_ENOUGH_EFFECTIVE_CONNECTION", "P2P broadcast failed.", "no_connection", true],
		["BLOCK_UNSOLIDIFIED", "Block unsolidified.", "node_syncing", "unknown"],
		["OTHER_ERROR", "Error: protobuf inconsistent", "rpc_error", "unknown"],
	])("%s", async ([nodeCode, message, code, sent], { wallet }) => {
		wallet.node.handlers.set("broadcasthex", () =>
			JSON.stringify({ result: false, code: nodeCode, txid: "", message }),
		);
		const outcome = await wallet.coin([...send, ...wallet.password()]);
		expect(outcome).toMatchObject({ code: 1, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({
			code,
			sent,
			node: { code: nodeCode, message },
			txID: expect.stringMatching(/^[0-9a-f]{64}$/),
		});
	});

	it("is `unknown` when the connection breaks during the broadcast", async ({ wallet }) => {
		wallet.node.handlers.set("broadcasthex", () => "hang up");
		const outcome = await wallet.coin([...send, ...wallet.password()]);
		expect(outcome.code).toBe(1);
		expect(errorRecord(outcome)).toMatchObject({ code: "network", sent: "unknown", retry: "wait" });
	});

	it.for<[{ readonly status: number; readonly body: string }, string, unknown]>([
		[{ status: 200, body: "<html>" }, "rpc_error", "unknown"],
		[{ status: 502, body: "bad gateway" }, "rpc_error", "unknown"],
		[{ status: 400, body: "no" }, "rpc_error", "unknown"],
		[{ status: 429, body: "" }, "rate_limited", "unknown"],
	])(
		"tells from the answer %j to the broadcast whether it was sent",
		async ([answer, code, sent], { wallet }) => {
			wallet.node.handlers.set("broadcasthex", () => answer);
			const error = errorRecord(await wallet.coin([...send, ...wallet.password()]));
			expect(error).toMatchObject({ code, sent });
			if (sent === "unknown") {
				expect(error).toMatchObject({ retry: "wait", hint: `coin tx wait ${String(error["txID"])}` });
			}
		},
	);

	it("is `unknown`, with the transaction's id, when it is interrupted before the node answers", async ({
		wallet,
	}) => {
		wallet.node.handlers.set("broadcasthex", () => "hang");
		const { child, outcome } = wallet.home.start([...send, ...wallet.password()], "", {
			COIN_NODE: wallet.node.url,
		});
		await awaited(child, () => wallet.node.asked.includes("/wallet/broadcasthex"));
		child.kill("SIGINT");
		const ended = await outcome;
		expect(ended).toMatchObject({ code: 130, stdout: "" });
		expect(errorRecord(ended)).toMatchObject({
			code: "interrupted",
			sent: "unknown",
			retry: "wait",
			txID: expect.stringMatching(/^[0-9a-f]{64}$/),
		});
	});

	it("warns of an earlier transaction whose answer was lost, until it is known what became of it", async ({
		wallet,
	}) => {
		const pay = () => wallet.coin([...send, ...wallet.password()]);
		let handed = "";
		wallet.node.handlers.set("broadcasthex", (body) => {
			handed = body;
			return "hang up";
		});
		const { txID, sent } = errorRecord(await pay());
		expect(sent).toBe("unknown");
		wallet.node.handlers.delete("broadcasthex");
		const second = await pay();
		expect(second.code).toBe(0);
		expect(second.stderr).toContain("whose answer was lost, may still be carried out");
		expect(second.stderr).toContain(`coin tx wait ${txID}`);
		wallet.node.take(handed);
		expect((await pay()).stderr).toContain("whose answer was lost, is in a block");
		expect((await pay()).stderr).toBe("");
	});

	it("sends of several signed transactions what isn't sent yet, and says how far it came", async ({
		wallet,
	}) => {
		const signed = await Promise.all(
			["1coin", "2coin", "3coin"].map((amount) =>
				wallet.coin(["wallet", "send", RECIPIENT, amount, "--sign", ...wallet.password()]),
			),
		);
		const list = signed.map(({ stdout }) => stdout).join("");
		const answers = ['{"code":"DUP_TRANSACTION_ERROR","message":""}', '{"result":true}', '{"result":true}'];
		const asked: string[] = [];
		wallet.node.handlers.set("broadcasthex", (body) => {
			asked.push(body);
			return answers[asked.length - 1] ?? '{"code":"TRANSACTION_EXPIRATION_ERROR","message":""}';
		});
		const all = await wallet.coin(["wallet", "broadcast"], list);
		expect({ code: all.code, stderr: all.stderr }).toMatchObject({
			code: 0,
			stderr: expect.stringContaining("was sent before: nothing happens twice"),
		});
		expect(asked).toHaveLength(3);
		answers.splice(0, 3, "", "", "", '{"result":true}');
		expect(errorRecord(await wallet.coin(["wallet", "broadcast"], list))).toMatchObject({
			code: "tx_expired",
			index: 1,
			message: expect.stringMatching(/one after it was not sent; one transaction was sent before$/),
			details: { sentBefore: 1, sentIds: [expect.any(String)], unsent: 1 },
		});
		expect(asked).toHaveLength(5);
	});

	it("doesn't advise to repeat a batch of which a part was sent", async ({ wallet }) => {
		const batch = [1, 2].map((coins) => JSON.stringify({ to: RECIPIENT, amount: `${coins}coin` })).join("\n");
		let count = 0;
		wallet.node.handlers.set("broadcasthex", () =>
			++count === 1 ? '{"result":true}' : { status: 429, body: "" },
		);
		const outcome = await wallet.coin(
			["wallet", "send", "--batch", "-", "--journal", "paid", ...wallet.password()],
			batch,
		);
		expect(errorRecord(outcome)).toMatchObject({
			index: 1,
			code: "rate_limited",
			message: expect.stringContaining("line 1 of 2 payments sent, line 2 may be on the way"),
			sent: "unknown",
			retry: "wait",
			details: { line: 2, sent: [1], unknown: [2], unsent: [] },
		});
	});

	it("goes on with a list where it ended, and pays no line of it twice", async ({ wallet }) => {
		const path = wallet.home.write(
			"pay.csv",
			`to,amount\n${RECIPIENT},1coin\n${RECIPIENT},2coin\n${RECIPIENT},3coin\n`,
		);
		const pay = (...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", path, ...words, ...wallet.password()]);
		let count = 0;
		wallet.node.handlers.set("broadcasthex", (body) =>
			++count === 1 ? wallet.node.take(body) : '{"code":"CONTRACT_VALIDATE_ERROR","message":""}',
		);
		expect(errorRecord(await pay())).toMatchObject({
			sent: "unknown",
			hint: expect.stringContaining(`--batch ${path} --resume`),
			details: { sent: [2], unknown: [3], unsent: [4] },
		});
		wallet.node.handlers.delete("broadcasthex");
		expect(errorRecord(await pay())).toMatchObject({
			code: "duplicate",
			sent: false,
			details: { sentBefore: [2, 3], unsent: [4] },
		});
		const list = readFileSync(path, "utf8");
		wallet.home.write("pay.csv", list.replace("1coin", "4coin"));
		expect(errorRecord(await pay())).toMatchObject({
			hint: expect.stringContaining("1 of them isn't in this list"),
			details: { sentBefore: [2, 3] },
		});
		wallet.home.write("pay.csv", list);
		// Line 2 has left the account, line 3 waits.
		wallet.node.fund(ADDRESSES.ann, 5_000_000n);
		const [, dry] = (await pay("--dry-run", "--resume", "--json")).stdout.trim().split("\n");
		expect(JSON.parse(dry as string)).toMatchObject({
			payments: 1,
			amounts: [{ text: "3coin" }],
			paidBefore: [2],
			sentAgain: [{ line: 3, amountSun: "2000000", summary: expect.stringContaining("2coin") }],
		});
		const rest = await pay("--resume");
		expect(rest).toMatchObject({
			code: 0,
			stderr: expect.stringMatching(/2coin .* was in no block and is sent again/),
		});
		expect(
			rest.stdout
				.trim()
				.split("\n")
				.map((line) => (JSON.parse(line) as { amount: string }).amount),
		).toEqual(["3000000"]);
		expect(wallet.node.received).toHaveLength(3);
		expect(await pay("--resume")).toMatchObject({ code: 0, stdout: "" });
		wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},9coin\n${RECIPIENT},2coin\n${RECIPIENT},3coin\n`);
		expect(errorRecord(await pay("--resume"))).toMatchObject({
			code: "duplicate",
			message: expect.stringMatching(
				/once in line 2; an earlier run took up 3 of the payments of .*: lines 2-4 \(sent\); this run sent none$/,
			),
			hint: expect.not.stringContaining("coin send"),
			sent: false,
			retry: "changed",
			details: { sentBefore: [2, 3, 4], sent: [], unknown: [], unsent: [2] },
		});
		expect(wallet.node.received).toHaveLength(3);
	});

	it("shows by --dry-run what the journal knows, and what --resume would pay", async ({ wallet }) => {
		const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n`);
		const pay = (...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", path, "--json", ...words, ...wallet.password()]);
		expect((await pay()).code).toBe(0);
		const kept = readFileSync(`${path}.journal`, "utf8");
		expect(errorRecord(await pay("--dry-run"))).toMatchObject({
			code: "duplicate",
			hint: expect.stringContaining("--resume"),
		});
		const done = await pay("--dry-run", "--resume");
		expect(JSON.parse(done.stdout)).toMatchObject({ payments: 0, paidBefore: [2], sent: false });
		wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n${RECIPIENT},2coin\n`);
		const lines = (await pay("--dry-run", "--resume")).stdout.trim().split("\n");
		expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
			{ summary: expect.stringContaining("2coin"), sent: false },
			{ payments: 1, amounts: [{ text: "2coin" }], paidBefore: [2], sent: false },
		]);
		expect(readFileSync(`${path}.journal`, "utf8")).toBe(kept);
		expect(wallet.node.received).toHaveLength(1);
	});

	it("asks before it pays what the journal of another list has, also where --yes answers", async ({
		wallet,
	}) => {
		const list = `to,amount\n${RECIPIENT},1coin\n`;
		const pay = (path: string, ...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", path, ...words, ...wallet.password()]);
		const [path, copy] = [wallet.home.write("pay.csv", list), wallet.home.write("pay-copy.csv", list)];
		expect((await pay(path)).code).toBe(0);
		const said = expect.stringContaining("line 2 said the same in a list before");
		expect(errorRecord(await pay(copy))).toMatchObject({ code: "confirmation_needed", message: said });
		expect(wallet.node.received).toHaveLength(1);
		expect(await pay(copy, "--yes")).toMatchObject({ code: 0, stderr: said });
		mkdirSync(join(wallet.home.path, "elsewhere"));
		const moved = await pay(wallet.home.write("elsewhere/pay.csv", list));
		expect(errorRecord(moved)).toMatchObject({ code: "confirmation_needed", message: said });
		expect(wallet.node.received).toHaveLength(2);
	});

	it("pays a list from a pipe only with a journal, which keeps it from being paid twice", async ({
		wallet,
	}) => {
		const text = `to,amount\n${RECIPIENT},1coin\n`;
		const pay = (...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", "-", ...words, ...wallet.password()], text);
		const journal = ["--journal", "paid"];
		expect(errorRecord(await pay())).toMatchObject({
			code: "usage",
			sent: false,
			hint: expect.stringContaining("--journal"),
		});
		expect((await pay(...journal)).code).toBe(0);
		expect(errorRecord(await pay(...journal))).toMatchObject({ code: "duplicate", sent: false });
		expect(await pay(...journal, "--resume")).toMatchObject({ code: 0, stdout: "" });
		expect(wallet.node.received).toHaveLength(1);
	});

	it.for<["--sign" | "--build"]>([["--sign"], ["--build"]])(
		"prints no line of a list twice with %s, and sends none that was printed",
		async ([print], { wallet }) => {
			const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n`);
			const pay = (...words: string[]) =>
				wallet.coin(["wallet", "send", "--batch", path, ...words, ...wallet.password()]);
			const first = await pay(print);
			expect(first.stdout.trim().split("\n")).toHaveLength(1);
			for (const words of [[print], []]) {
				const again = await pay(...words);
				expect(again.stdout).toBe("");
				expect(errorRecord(again)).toMatchObject({
					code: "duplicate",
					message: expect.stringContaining("line 2 (printed for others to send)"),
					sent: false,
				});
			}
			expect(await pay("--resume")).toMatchObject({ code: 0, stdout: "" });
			expect(wallet.node.received).toHaveLength(0);
			wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n${RECIPIENT},2coin\n`);
			const rest = (await pay(print, "--resume")).stdout.trim().split("\n");
			expect(rest).toMatchObject([expect.stringContaining("2coin")]);
		},
	);

	it("says which lines of a list were not printed where nobody reads them, and prints them with --resume", async ({
		wallet,
	}) => {
		const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n${RECIPIENT},2coin\n`);
		const words = ["wallet", "send", "--batch", path, "--build"];
		const { child, outcome } = wallet.home.start(words, "", { COIN_NODE: wallet.node.url });
		child.stdout?.destroy();
		expect(await outcome).toMatchObject({
			code: 141,
			stderr: expect.stringContaining("2 lines not printed (lines 2-3)"),
		});
		expect(existsSync(`${path}.journal.lock`)).toBe(false);
		const { stdout } = await wallet.coin([...words, "--resume"]);
		expect(stdout.trim().split("\n")).toHaveLength(2);
	});

	it("says what became of a line whose answer was lost, and why the node doesn't take it again", async ({
		wallet,
	}) => {
		const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n`);
		const pay = (...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", path, ...words, ...wallet.password()]);
		wallet.node.handlers.set("broadcasthex", () => "hang up");
		await pay();
		expect(errorRecord(await pay())).toMatchObject({
			message: expect.stringContaining("line 2 (the node's answer was lost, it may still be carried out)"),
		});
		wallet.node.handlers.set("broadcasthex", () => '{"code":"TRANSACTION_EXPIRATION_ERROR","message":""}');
		expect(errorRecord(await pay("--resume"))).toMatchObject({
			code: "tx_expired",
			message: expect.stringMatching(/^line 2, .*, was sent by an earlier run and is in no block/),
			hint: expect.stringContaining("expires"),
			sent: "unknown",
			details: { unknown: [2], unsent: [] },
		});
	});

	it("hands over the same bytes again where nobody knows whether a line was paid", async ({ wallet }) => {
		const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n${RECIPIENT},2coin\n`);
		const pay = (...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", path, ...words, ...wallet.password()]);
		const handed: string[] = [];
		wallet.node.handlers.set("broadcasthex", (body) => {
			handed.push((JSON.parse(body) as { transaction: string }).transaction);
			return "hang up";
		});
		expect(errorRecord(await pay())).toMatchObject({
			sent: "unknown",
			details: { unknown: [2], unsent: [3] },
		});
		wallet.node.handlers.delete("broadcasthex");
		expect((await pay("--resume")).code).toBe(0);
		expect(Buffer.from(wallet.node.received[0]?.bytes ?? []).toString("hex")).toBe(handed[0]);
		expect(wallet.node.received).toHaveLength(2);
	});

	it("pays no line twice whose answer was lost where nothing can be kept of it", async ({ wallet }) => {
		const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n`);
		const pay = (...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", path, ...words, ...wallet.password()]);
		mkdirSync(join(wallet.home.path, ".local/share/coin"), { recursive: true });
		wallet.home.write(".local/share/coin/unanswered", "");
		const handed: string[] = [];
		wallet.node.handlers.set("broadcasthex", (body) => {
			handed.push((JSON.parse(body) as { transaction: string }).transaction);
			return "hang up";
		});
		const lost = await pay();
		expect(lost.stderr).toContain("nothing will warn of sending the same once more");
		expect(errorRecord(lost)).toMatchObject({ sent: "unknown", details: { unknown: [2], unsent: [] } });
		wallet.node.handlers.delete("broadcasthex");
		expect((await pay("--resume")).code).toBe(0);
		expect(wallet.node.received.map(({ bytes }) => Buffer.from(bytes).toString("hex"))).toEqual(handed);
	});

	it("takes what a line max was paid by for its payment, whatever the account has now", async ({
		wallet,
	}) => {
		const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},max\n`);
		const pay = (...words: string[]) =>
			wallet.coin(["wallet", "send", "--batch", path, "--yes", ...words, ...wallet.password()]);
		wallet.node.handlers.set("broadcasthex", (body) => {
			wallet.node.take(body);
			return "hang up";
		});
		expect(errorRecord(await pay())).toMatchObject({ sent: "unknown", details: { unknown: [2] } });
		wallet.node.handlers.delete("broadcasthex");
		for (const balance of [0n, 5_000_000n]) {
			wallet.node.fund(ADDRESSES.ann, balance);
			expect(errorRecord(await pay())).toMatchObject({
				code: "duplicate",
				hint: expect.stringMatching(/^no line is left/),
			});
			expect(await pay("--resume")).toMatchObject({ code: 0, stdout: "" });
		}
		expect(wallet.node.received).toHaveLength(1);
	});

	it("takes no payment of an amount for that of a line max, nor a line that can't be read for one that is gone", async ({
		wallet,
	}) => {
		const path = wallet.home.write("pay.csv", `to,amount\n${RECIPIENT},1coin\n`);
		const resumed = async (line: string, ...words: string[]) => {
			wallet.home.write("pay.csv", `to,amount\n${line}\n`);
			return errorRecord(
				await wallet.coin([
					"wallet",
					"send",
					"--batch",
					path,
					"--yes",
					"--resume",
					...words,
					...wallet.password(),
				]),
			);
		};
		const words = ["wallet", "send", "--batch", path, ...wallet.password()];
		expect((await wallet.coin(words)).code).toBe(0);
		expect(await resumed(`${RECIPIENT},max`)).toMatchObject({
			code: "duplicate",
			message: expect.stringContaining("has a payment that the list has no more: 1coin from"),
		});
		expect(await resumed(`${RECIPIENT},1con`, "--keep-going")).toMatchObject({
			code: "duplicate",
			message: expect.stringMatching(
				/has a payment that no line makes that can be read \(line 2 can't: .*\): 1coin from/,
			),
		});
		expect(wallet.node.received).toHaveLength(1);
	});

	it("needs --yes for more coins than confirmOver where nobody can be asked, in a list, too, and for equal lines", async ({
		wallet,
	}) => {
		const config = ["--config", wallet.home.write("own.conf", 'confirmOver = "3coin"')];
		const one = (...words: string[]) =>
			wallet.coin(["wallet", "send", RECIPIENT, "4coin", ...config, ...words, ...wallet.password()]);
		expect(errorRecord(await one())).toMatchObject({
			code: "confirmation_needed",
			message: expect.stringMatching(
				/^Transfer: 4coin from .* \(4coin is more than confirmOver, 3coin\): that needs/,
			),
			hint: "--yes agrees to it",
			sent: false,
		});
		expect((await one("--yes")).code).toBe(0);
		const list = (amounts: readonly string[], ...words: string[]) =>
			wallet.coin(
				[
					...["wallet", "send", "--batch", "-", "--journal", amounts.join(), ...config],
					...words,
					...wallet.password(),
				],
				`to,amount\n${amounts.map((amount) => `${RECIPIENT},${amount}\n`).join("")}`,
			);
		expect((await list(["1coin", "2coin"])).code).toBe(0);
		expect(errorRecord(await list(["1.5coin", "1.6coin"]))).toMatchObject({ code: "confirmation_needed" });
		expect(errorRecord(await list(["1coin", "1000000sun"]))).toMatchObject({ code: "confirmation_needed" });
		expect((await list(["1coin", "1000000sun"], "--yes")).code).toBe(0);
		const built = await wallet.coin(["wallet", "send", RECIPIENT, "4coin", "--build"]);
		expect(
			errorRecord(await wallet.coin(["wallet", "sign", ...config, ...wallet.password()], built.stdout)),
		).toMatchObject({
			code: "confirmation_needed",
		});
	});

	it("is a timeout when no answer comes", async ({ wallet }) => {
		wallet.node.handlers.set("createtransaction", () => "hang");
		const outcome = await wallet.coin([...send, ...wallet.password(), "--timeout", "300ms"]);
		expect(errorRecord(outcome)).toMatchObject({ code: "timeout", sent: false });
	});

	it.for<[{ readonly status: number; readonly body: string }, string]>([
		[{ status: 404, body: "{}" }, "not_served"],
		[{ status: 500, body: "oops" }, "rpc_error"],
		[{ status: 429, body: "" }, "rate_limited"],
		[{ status: 200, body: "<html>" }, "rpc_error"],
		[{ status: 200, body: "[]" }, "rpc_error"],
	])("is a plain sentence for the answer %j", async ([answer, code], { wallet }) => {
		wallet.node.handlers.set("createtransaction", () => answer);
		expect(errorRecord(await wallet.coin([...send, ...wallet.password()]))).toMatchObject({
			code,
			sent: false,
		});
	});

	it("is a plain sentence where no node is", async ({ wallet }) => {
		const { code, stderr } = await wallet.home.run([
			"account",
			"balance",
			RECIPIENT,
			"--node",
			"http://127.0.0.1:1",
		]);
		expect(code).toBe(1);
		expect(stderr).toBe(
			"error: no node answers at 127.0.0.1:1: the connection was refused\nhint: is the node running? --node or --profile choose another one\n",
		);
	});

	it("exits 1 with the result when the contract failed", async ({ wallet }) => {
		wallet.node.sealing = false;
		const sent = await wallet.coin([...send, ...wallet.password()]);
		const { txID } = JSON.parse(sent.stdout) as { txID: string };
		wallet.node.seal(wallet.node.received);
		wallet.node.fail(txID, 2);
		const waited = await wallet.coin(["tx", "wait", txID, "--json"]);
		expect(waited.code).toBe(1);
		expect(JSON.parse(waited.stdout)).toMatchObject({ txID, state: "failed", result: "REVERT" });
		expect(errorRecord(waited)).toMatchObject({ code: "contract_revert", txID });
	});

	it("ends a wait that takes too long, without forgetting that it was sent", async ({ wallet }) => {
		wallet.node.sealing = false;
		const outcome = await wallet.coin([...send, ...wallet.password(), "--wait", "--wait-timeout", "500ms"]);
		expect(outcome.code).toBe(1);
		expect(JSON.parse(outcome.stdout)).toMatchObject({ state: "submitted" });
		expect(errorRecord(outcome)).toMatchObject({ code: "wait_timeout", sent: true, retry: "wait" });
	});
});
