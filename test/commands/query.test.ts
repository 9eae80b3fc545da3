import { describe, expect } from "vitest";
import { toHex } from "../../src/protocol/bytes.js";
import { awaited } from "./awaited.js";
import { errorRecord } from "./coin-process.js";
import { ADDRESSES, BASE58, it, RECIPIENT, send } from "./wallet-fixture.js";

describe.concurrent("coin account", () => {
	it("prints a balance with its unit for people, in sun for programs, and 0 for nobody", async ({
		wallet,
	}) => {
		expect((await wallet.coin(["account", "balance"])).stdout).toBe("1000coin\n");
		expect((await wallet.coin(["account", "balance", "ann", "--json"])).stdout).toBe('"1000000000"\n');
		expect((await wallet.coin(["account", "balance", "ann", "--unit", "sun"])).stdout).toBe(
			"1000000000sun\n",
		);
		expect((await wallet.coin(["account", "balance", RECIPIENT, "--json"])).stdout).toBe('"0"\n');
	});

	it("takes a list of accounts from standard input", async ({ wallet }) => {
		const { stdout } = await wallet.coin(
			["account", "balance", "-", "--json"],
			`${BASE58.ann}\n# nobody\n${RECIPIENT}\n`,
		);
		expect(stdout).toBe(
			`{"account":"${BASE58.ann}","balance":"1000000000"}\n{"account":"${RECIPIENT}","balance":"0"}\n`,
		);
		const half = await wallet.coin(["account", "balance", "-", "--json"], `${BASE58.ann}\nnobody\n`);
		expect(half).toMatchObject({ code: 1, stdout: "" });
		expect(errorRecord(half)).toMatchObject({
			code: "wallet_not_found",
			message: expect.stringMatching(/^line 2: "nobody" /),
			index: 1,
		});
	});

	it("keeps every digit of a balance beyond 2^53", async ({ wallet }) => {
		wallet.node.fund(ADDRESSES.bob, 9_223_372_036_854_775_807n);
		expect((await wallet.coin(["account", "balance", BASE58.bob])).stdout).toBe("9223372036854.775807coin\n");
	});

	it("shows an account, or says that it doesn't exist", async ({ wallet }) => {
		wallet.node.fund(ADDRESSES.bob, 5n, {
			account_name: Buffer.from("bob"),
			assetV2: new Map([["1000001", 7n]]),
		});
		const shown = JSON.parse((await wallet.coin(["account", "show", BASE58.bob, "--json"])).stdout) as object;
		expect(shown).toMatchObject({
			address: BASE58.bob,
			name: "bob",
			balance: "5",
			tokens: { "1000001": "7" },
		});
		const missing = await wallet.coin(["account", "show", RECIPIENT]);
		expect(missing).toMatchObject({ code: 1, stdout: "" });
		expect(missing.stderr).toBe(`error: the account ${RECIPIENT} does not exist on this chain\n`);
		expect((await wallet.coin(["account", "show", RECIPIENT, "--or-null", "--json"])).stdout).toBe("null\n");
	});

	it("asks which account where that isn't clear", async ({ wallet }) => {
		await wallet.addKey("bob");
		const outcome = await wallet.coin(["account", "balance", "--json"]);
		expect(outcome.code).toBe(2);
		expect(errorRecord(outcome)).toMatchObject({
			code: "usage",
			message: expect.stringContaining("holds 2 keys"),
		});
		const chosen = await wallet.home.run(["account", "balance"], "", {
			COIN_NODE: wallet.node.url,
			COIN_FROM: "ann",
		});
		expect(chosen.stdout).toBe("1000coin\n");
	});
});

describe.concurrent("coin block and coin tx", () => {
	it("show what was sent", async ({ wallet }) => {
		const sent = await wallet.coin([...send, ...wallet.password()]);
		const { txID } = JSON.parse(sent.stdout) as { txID: string };
		const block = JSON.parse((await wallet.coin(["block", "show", "--json"])).stdout) as Record<
			string,
			unknown
		>;
		expect(block).toMatchObject({
			number: "2",
			transactionCount: 1,
			transactions: [{ txID, type: "TransferContract", signers: [BASE58.ann] }],
		});
		expect(
			(await wallet.coin(["block", "show", String(block["blockID"]), "--header", "--json"])).stdout,
		).not.toContain('transactions"');
		const transaction = JSON.parse((await wallet.coin(["tx", "show", txID, "--json"])).stdout) as object;
		expect(transaction).toMatchObject({ txID, contract: { to_address: RECIPIENT, amount: "25000000" } });
		const receipt = JSON.parse((await wallet.coin(["tx", "receipt", txID, "--json"])).stdout) as object;
		expect(receipt).toMatchObject({ id: txID, blockNumber: "2", fee: "100", receipt: { net_usage: "268" } });
		expect(JSON.parse((await wallet.coin(["tx", "status", txID, "--json"])).stdout)).toEqual({
			txID,
			state: "solid",
			block: "2",
			result: "SUCCESS",
		});
	});

	it("tell a transaction that is in a block from one that can't be undone", async ({ wallet }) => {
		wallet.node.solidLag = 1;
		const sent = await wallet.coin([...send, ...wallet.password(), "--wait-included"]);
		const { txID } = JSON.parse(sent.stdout) as { txID: string };
		expect(JSON.parse(sent.stdout)).toMatchObject({ state: "included", block: "2" });
		expect(JSON.parse((await wallet.coin(["tx", "status", txID, "--json"])).stdout)).toMatchObject({
			state: "included",
		});
		wallet.node.seal([]);
		expect(JSON.parse((await wallet.coin(["tx", "wait", txID, "--json"])).stdout)).toMatchObject({
			state: "solid",
		});
	});

	it("find the irreversible block without a solidity API", async ({ wallet }) => {
		for (const endpoint of ["walletsolidity/gettransactioninfobyid", "walletsolidity/getnowblock"]) {
			wallet.node.handlers.set(endpoint, () => ({ status: 404, body: "" }));
		}
		const sent = await wallet.coin([...send, ...wallet.password(), "--wait"]);
		expect(JSON.parse(sent.stdout)).toMatchObject({ state: "solid" });
		expect(wallet.node.asked).toContain("/wallet/getnodeinfo");
	});

	it("know when a transaction can never be included", async ({ wallet }) => {
		wallet.node.sealing = false;
		const { child, outcome } = wallet.home.start([...send, ...wallet.password(), "--wait"], "", {
			COIN_NODE: wallet.node.url,
		});
		await awaited(child, () => wallet.node.received.length > 0);
		wallet.node.seal([], BigInt(Date.now() + 600_000));
		const { code, stdout } = await outcome;
		expect(code).toBe(1);
		expect(JSON.parse(stdout)).toMatchObject({ state: "expired" });
	});

	it("say what is known of a transaction when the wait for it is interrupted", async ({ wallet }) => {
		wallet.node.sealing = false;
		const words = [...send, ...wallet.password(), "--wait"];
		const { child, outcome } = wallet.home.start(words, "", { COIN_NODE: wallet.node.url });
		await awaited(child, () => wallet.node.asked.includes("/wallet/gettransactioninfobyid"));
		child.kill("SIGINT");
		const { code, stdout } = await outcome;
		expect(code).toBe(130);
		expect(JSON.parse(stdout)).toMatchObject({ txID: wallet.node.received[0]?.idHex, state: "submitted" });
	});

	it("refuse a node whose block id is not its header's", async ({ wallet }) => {
		wallet.node.handlers.set("getnowblock", () =>
			JSON.stringify({ blockID: "00".repeat(32), block_header: { raw_data: { number: 1 } } }),
		);
		expect(errorRecord(await wallet.coin(["block", "show", "--json"]))).toMatchObject({ code: "rpc_error" });
	});

	it.for<[string[], number, string]>([
		[["block", "show", "99"], 1, "not_found"],
		[["block", "show", "soon"], 2, "bad_value"],
		[["tx", "show", "00".repeat(32)], 1, "not_found"],
		[["tx", "show", "abc"], 2, "bad_value"],
		[["tx", "receipt", "00".repeat(32)], 1, "not_found"],
		[["tx", "decode", "zz"], 2, "transaction_invalid"],
	])("refuse %j", async ([words, code, name], { wallet }) => {
		const outcome = await wallet.coin([...words, "--json"]);
		expect(outcome).toMatchObject({ code, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({ code: name });
	});
});

describe.concurrent("coin rpc", () => {
	it("prints the answer untouched", async ({ wallet }) => {
		wallet.node.handlers.set("getaccount", () => '{ "balance" : 9223372036854775807, "x":1.50 }');
		const { code, stdout, stderr } = await wallet.coin(["rpc", "getaccount", "--address", BASE58.ann]);
		expect({ code, stdout, stderr }).toEqual({
			code: 0,
			stdout: '{ "balance" : 9223372036854775807, "x":1.50 }\n',
			stderr: "",
		});
	});

	it("puts fields into the body in the form that visible demands, digits exactly", async ({ wallet }) => {
		const bodies: string[] = [];
		wallet.node.handlers.set("createtransaction", (body) => {
			bodies.push(body);
			return "{}";
		});
		const fields = ["--owner_address", BASE58.ann, "--to-address", RECIPIENT, "--amount", "9007199254740993"];
		await wallet.coin(["rpc", "createtransaction", ...fields]);
		await wallet.coin(["rpc", "createtransaction", ...fields, "--visible"]);
		await wallet.coin([
			"rpc",
			"createtransaction",
			'{"amount": 1,"x":9007199254740993}',
			"--amount",
			"2",
			"-F",
			"flag=true",
			"-F",
			"note=hello",
		]);
		await wallet.coin(["rpc", "createtransaction", "{not json at all"]);
		expect(bodies).toEqual([
			`{"owner_address":"${toHex(ADDRESSES.ann)}","to_address":"417e5f4552091a69125d5dfcb7b8c2659029395bdf","amount":9007199254740993}`,
			`{"owner_address":"${BASE58.ann}","to_address":"${RECIPIENT}","amount":9007199254740993,"visible":true}`,
			'{"amount":2,"x":9007199254740993,"flag":true,"note":"hello"}',
			"{not json at all",
		]);
	});

	it.for<[string, string, number]>([
		["getaccount", '{"Error":"no"}', 1],
		["getaccount", "{}", 0],
		["broadcasttransaction", '{"code":"SIGERROR"}', 1],
		["broadcasttransaction", '{"result":true,"txid":"00"}', 0],
		["/wallet/broadcasthex", '{"code":"SIGERROR"}', 1],
		["createtransaction", '{"result":{"code":"OTHER_ERROR"}}', 1],
		["getsignweight", '{"result":{"code":"NOT_ENOUGH_PERMISSION"}}', 0],
	])("exits by the answer of %s %s", async ([name, body, code], { wallet }) => {
		wallet.node.handlers.set(name.replace("/wallet/", ""), () => body);
		const outcome = await wallet.coin(["rpc", name]);
		expect(outcome).toMatchObject({ code, stdout: `${body}\n` });
		expect((await wallet.coin(["rpc", name, "--no-fail"])).code).toBe(0);
	});

	it("asks a server that isn't known to serve an endpoint only with --force", async ({ wallet }) => {
		wallet.node.handlers.set("walletsolidity/createtransaction", () => "{}");
		const words = ["rpc", "createtransaction", "--solidity", "--node", wallet.node.url];
		expect(await wallet.coin(words)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("--force asks all the same"),
		});
		expect(await wallet.coin([...words, "--force"])).toMatchObject({ code: 0, stdout: "{}\n" });
	});

	it("warns of a mistyped member of a body, over gRPC too", async ({ wallet }) => {
		wallet.node.handlers.set("getaccount", () => "{}");
		const { stderr } = await wallet.coin(["rpc", "getaccount", '{"adress":"00"}']);
		expect(stderr).toBe("warning: getaccount has no field adress; did you mean address?\n");
		const grpc = await wallet.coin(["rpc", "GetAccount", "--adress", "00", "--node", "127.0.0.1:1"]);
		expect(grpc.stderr).toContain("has no field adress; did you mean address?");
	});

	it("speaks JSON-RPC with positional parameters", async ({ wallet }) => {
		let asked = "";
		wallet.node.handlers.set("jsonrpc/", (body) => {
			asked = body;
			return '{"jsonrpc":"2.0","id":1,"result":{"a":[1,2],"b":"}"}}';
		});
		const { stdout } = await wallet.coin(["rpc", "eth_getBalance", RECIPIENT, "latest", "7", "--result"]);
		expect(asked).toBe(
			'{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","latest",7]}',
		);
		expect(stdout).toBe('{"a":[1,2],"b":"}"}');
	});

	it("describes an endpoint and lists them all", async ({ wallet }) => {
		const described = await wallet.coin(["rpc", "createtransaction", "--help"]);
		expect(described).toMatchObject({ code: 0 });
		expect(described.stdout).toContain("amount");
		const { stdout } = await wallet.coin(["rpc", "--list"]);
		expect(stdout).toContain("broadcasthex");
	});

	it.for<[string[], number]>([
		[["rpc"], 2],
		[["rpc", "getaccount", "--data"], 2],
		[["rpc", "createtransaction", "--amount", "1.5"], 2],
		[["rpc", "Not A Name"], 1],
		[["rpc", "createtransaction", "--solidity"], 2],
		[["rpc", "nosuchendpoint"], 1],
	])("refuses %j", async ([words, code], { wallet }) => {
		expect((await wallet.coin(words)).code).toBe(code);
	});
});

describe.concurrent("coin token show", () => {
	it("shows amounts in smallest units where no token can have such decimals", async ({ wallet }) => {
		const token = { id: "1000001", name: "476f6c64", total_supply: 500, precision: -1, trx_num: 2, num: 3 };
		wallet.node.handlers.set("getassetissuebyid", () => JSON.stringify(token));
		const { code, stdout } = await wallet.coin(["token", "show", "1000001"]);
		expect({ code, stdout }).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/supply +500raw\ndecimals +-1, which/),
		});
		expect(stdout).toMatch(/price +2sun for 3raw/);
	});
});
