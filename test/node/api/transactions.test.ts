import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiNode } from "../../../src/node/api/context.js";
import { pendingIds } from "../../../src/node/api/queries/transactions.js";
import {
	GENESIS_MS,
	type HttpNode,
	KEYS,
	NOW_MS,
	POOR_HEX,
	RICH_HEX,
	signed,
	startHttpNode,
} from "./http-node.js";

let node: HttpNode;
beforeAll(async () => {
	node = await startHttpNode("committee { allowCreationOfContracts = 1 }");
});
afterAll(() => node.close());

const transfer = (amount: unknown, more: object = {}) =>
	node.post("/wallet/createtransaction", { owner_address: RICH_HEX, to_address: POOR_HEX, amount, ...more });
const rawOf = (json: Record<string, unknown>) => json["raw_data"] as Record<string, unknown>;

describe("a builder", () => {
	it("refers to the solidified block and takes its times from head and clock", async () => {
		const { json } = await transfer(7);
		expect(rawOf(json)).toMatchObject({
			ref_block_bytes: "0000",
			expiration: Number(GENESIS_MS + 60_000n),
			timestamp: Number(NOW_MS),
		});
		expect(json["visible"]).toBe(false);
		expect(json["signature"]).toBeUndefined();
	});

	it("honours Permission_id and extra_data after the contract was found valid", async () => {
		const { json } = await transfer(7, { Permission_id: "2", extra_data: "abc" });
		expect(rawOf(json)["data"]).toBe("0abc");
		expect(rawOf(json)["contract"]).toMatchObject([{ Permission_id: 2, type: "TransferContract" }]);
		expect(rawOf((await transfer(7, { Permission_id: -1 })).json)["contract"]).not.toMatchObject([
			{ Permission_id: -1 },
		]);
		expect((await transfer(7, { Permission_id: null })).text).toContain("NullPointerException");
		expect((await transfer(0, { Permission_id: null })).text).toContain("Amount must be greater than 0.");
		expect((await transfer(7, { extra_data: "zz" })).text).toContain("DecoderException");
	});

	it.each([
		["", 'class org.tron.core.services.http.JsonFormat$ParseException : 1:1: Expected "{".'],
		["null", "class java.lang.NullPointerException : null"],
		["[]", "class org.tron.json.JSONException : can not cast to JSONObject."],
		["{}", "class org.tron.core.exception.ContractValidateException : Invalid ownerAddress!"],
	])("refuses %s", async (body, error) => {
		expect((await node.post("/wallet/createtransaction", body)).json).toEqual({ Error: error });
	});

	it("writes its texts in the deployed spelling", async () => {
		const answer = await transfer(1, { to_address: RICH_HEX });
		expect(answer.json).toEqual({
			Error: "class org.tron.core.exception.ContractValidateException : Cannot transfer TRX to yourself.",
		});
	});

	it.each<[object, string]>([
		[{}, "class java.lang.NullPointerException : Name is null"],
		[
			{ contractType: "Transfer" },
			"class java.lang.IllegalArgumentException : No enum constant org.tron.protos.Protocol.Transaction.Contract.ContractType.Transfer",
		],
		[
			{ contractType: "GetContract" },
			"class org.tron.core.exception.ContractValidateException : don't have this type: GetContract",
		],
		...["toString", "constructor", "__proto__"].map((contractType): [object, string] => [
			{ contractType },
			`class java.lang.IllegalArgumentException : No enum constant org.tron.protos.Protocol.Transaction.Contract.ContractType.${contractType}`,
		]),
	])("of any type refuses %j", async (body, error) => {
		expect((await node.post("/wallet/createCommonTransaction", body)).json).toEqual({ Error: error });
	});

	it.each([
		["triggersmartcontract", { fee_limit: "abc" }, "NumberFormatException"],
		["triggersmartcontract", { Permission_id: "x" }, "No contract or not a valid smart contract"],
		["triggerconstantcontract", { Permission_id: "x", extra_data: "zz" }, "Smart contract is not exist."],
	])("%s with %j of what is no contract ends with %s", async (name, more, text) => {
		const call = { owner_address: RICH_HEX, contract_address: POOR_HEX, data: "01" };
		const { json } = await node.post(`/wallet/${name}`, { ...call, ...more });
		const { message } = json["result"] as Record<string, string>;
		expect(Buffer.from(String(message), "hex").toString()).toContain(text);
	});

	it("deploys with an interface as list or text, and the code's arguments behind the code", async () => {
		const abi = [{ name: "get", type: "function", stateMutability: "view", outputs: [{ type: "uint256" }] }];
		const request = {
			owner_address: RICH_HEX,
			bytecode: "60",
			parameter: "80",
			name: "Foo",
			fee_limit: "1e3",
		};
		const deploy = (more: object) => node.post("/wallet/deploycontract", { ...request, ...more });
		const list = await deploy({ abi });
		expect(list.json["contract_address"]).toMatch(/^41[0-9a-f]{40}$/);
		expect((await deploy({ abi: JSON.stringify(abi) })).json["txID"]).toBe(list.json["txID"]);
		expect(list.text).toContain('"bytecode":"6080"');
		expect(rawOf(list.json)["fee_limit"]).toBe(1000);
		expect((await deploy({ abi: "" })).text).toContain("ParseException");
		expect((await deploy({ abi, fee_limit: 1.5 })).text).toContain(
			"ArithmeticException : Rounding necessary",
		);
		expect((await deploy({ abi, consume_user_resource_percent: 101 })).text).toContain(
			"percent must be >= 0 and <= 100",
		);
	});
});

describe("a broadcast", () => {
	it("puts the transaction into the pool once, where it can be looked at", async () => {
		const transaction = signed((await transfer(11)).json, KEYS[0]);
		const id = transaction["txID"];
		const first = await node.post("/wallet/broadcasttransaction", transaction);
		expect(first.text).toBe(`{"result":true,"txid":"${id}"}\n`);
		// Hexadecimal addresses don't decode as visible ones, so the contract is left out.
		const visible = await node.post("/wallet/broadcasttransaction", { ...transaction, visible: true });
		expect(visible.json["message"]).toBe("Contract validate error : No contract!");
		expect((await node.post("/wallet/broadcasttransaction", transaction)).json).toEqual({
			code: "DUP_TRANSACTION_ERROR",
			txid: id,
			message: Buffer.from("Dup transaction.").toString("hex"),
		});
		expect((await node.ask("/wallet/getpendingsize")).text).toBe('{"pendingSize": 1}\n');
		expect((await node.ask("/wallet/gettransactionlistfrompending")).json).toEqual({ txId: [id] });
		const pending = await node.post("/wallet/gettransactionfrompending", { value: id });
		expect(pending.json).toMatchObject({ txID: id, ret: [{ contractRet: "SUCCESS" }] });
		expect((await node.post("/wallet/gettransactionbyid", { value: id })).text).toBe(pending.text);
		expect((await node.post("/wallet/gettransactioninfobyid", { value: id })).text).toBe("{}\n");
		const poor = await node.post("/wallet/getaccount", { address: POOR_HEX });
		expect(poor.json["balance"]).toBe(11);
		const solid = await node.ask(`/walletsolidity/getaccount?address=${POOR_HEX}`, { server: "solidity" });
		expect(solid.json["balance"]).toBeUndefined();
	});

	it("tells what is wrong, in hexadecimal or as text", async () => {
		const { json } = await transfer(12);
		const unsigned = await node.post("/wallet/broadcasttransaction", json);
		expect(unsigned.json["message"]).toBe(
			Buffer.from("Validate signature error: miss sig or contract").toString("hex"),
		);
		const foreign = await node.post("/wallet/broadcasttransaction", signed(json, KEYS[1]));
		expect(foreign.json["code"]).toBe("SIGERROR");
	});

	it("by bytes always names every member", async () => {
		const nothing = await node.post("/wallet/broadcasthex", {});
		expect(nothing.json).toEqual({
			result: false,
			code: "CONTRACT_VALIDATE_ERROR",
			txid: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			message: "Contract validate error : No contract!",
			transaction: "{}",
		});
		expect((await node.post("/wallet/broadcasthex", { transaction: "ff" })).text).toContain(
			"com.google.protobuf.InvalidProtocolBufferException",
		);
		expect((await node.post("/wallet/broadcasthex", { transaction: "zz" })).text).toContain(
			"DecoderException",
		);
	});
});

describe("the signers of a transaction", () => {
	it("are weighed and listed", async () => {
		const { json } = await transfer(13);
		const weight = (body: unknown) => node.post("/wallet/getsignweight", body);
		expect((await weight(json)).json).toMatchObject({
			result: { code: "NOT_ENOUGH_PERMISSION" },
			permission: { threshold: 1, permission_name: "owner" },
		});
		expect((await weight(signed(json, KEYS[0]))).json).toMatchObject({
			result: {},
			approved_list: [RICH_HEX],
			current_weight: 1,
			transaction: { result: { result: true }, txid: json["txID"], transaction: { txID: json["txID"] } },
		});
		expect((await weight(signed(json, KEYS[1]))).json).toMatchObject({
			result: { code: "PERMISSION_ERROR" },
		});
		expect((await weight({ ...json, signature: "00" })).json["result"]).toEqual({
			code: "SIGNATURE_FORMAT_ERROR",
			message: "Signature size is 1",
		});
		expect((await weight({ ...json, signature: "00".repeat(65) })).json["result"]).toEqual({
			code: "COMPUTE_ADDRESS_ERROR",
			message: "java.lang.IllegalArgumentException: Invalid point compression",
		});
	});

	it("are listed without asking whether they may sign, up to release 4.8.1", async () => {
		const { json } = await transfer(14);
		const older = await startHttpNode("node.release = 4.8.1");
		const approved = await older.post("/wallet/getapprovedlist", signed(json, KEYS[1], KEYS[1], KEYS[0]));
		expect(approved.json).toMatchObject({ result: {}, approved_list: [POOR_HEX, POOR_HEX, RICH_HEX] });
		await older.close();
	});

	it("are listed if they all count, from release 4.8.2 on", async () => {
		const { json } = await transfer(15);
		const ask = async (...keys: readonly (typeof KEYS)[0][]) =>
			(await node.post("/wallet/getapprovedlist", signed(json, ...keys))).json;
		expect(await ask(KEYS[0])).toMatchObject({ result: {}, approved_list: [RICH_HEX] });
		expect(await ask()).toMatchObject({ result: {} });
		const foreign = await ask(KEYS[1]);
		expect(foreign).not.toHaveProperty("approved_list");
		expect(foreign["result"]).toMatchObject({
			code: "OTHER_ERROR",
			message: expect.stringMatching(
				`^class org.tron.core.exception.PermissionException : ${json["txID"]} is signed by T\\w{33} but it is not contained of permission.$`,
			),
		});
		expect((await ask(KEYS[0], KEYS[0]))["result"]).toMatchObject({
			message:
				"class org.tron.core.exception.PermissionException : Signature count is 2 more than key counts of permission : 1",
		});
	});

	it.each(["getsignweight", "getapprovedlist"])(
		"are cut and counted by %s, from release 4.8.2 on",
		async (name) => {
			const { json } = await transfer(16);
			const [signature] = signed(json, KEYS[0])["signature"] as readonly string[];
			const ask = async (signatures: readonly unknown[]) =>
				(await node.post(`/wallet/${name}`, { ...json, signature: signatures })).json;
			expect(await ask([`${signature}abcd`])).toMatchObject({
				result: {},
				approved_list: [RICH_HEX],
				transaction: { transaction: { signature: [signature] } },
			});
			expect(await ask(Array(6).fill(signature))).toEqual({
				result: { code: "OTHER_ERROR", message: "too many signatures" },
			});
			expect((await ask(["00"]))["result"]).toEqual({
				code: "SIGNATURE_FORMAT_ERROR",
				message: "Signature size is 1",
			});
			const none = (await node.post(`/wallet/${name}`, "{}")).text;
			expect(none).toContain("NullPointerException");
		},
	);
});

it("ids of the pool have the order in which a set of the network's runtime iterates them (recording late-http, head 136)", () => {
	const recorded = [
		"1ed9f3929335b490c17d5433ec4d43fcfaec00c756457f856fb82bd669b1f932",
		"c7d10fc5f5e66d01525ed4151194c8e968a5b9b9336c9febcc8f1fc871b360b9",
		"a1f22af5cc6c8f46bad485a114050362a6945bc197ba84302e4b5de311a5e08d",
		"1196db3b91c0083dfd2e22815e125d1a838ad0ed68b4c265f6dbd0de9654cde2",
		"99854a29134bc044587b18d31320dec24f4bab32c595375ba7e7dc5fdd7e36ec",
		"0f329962dcb05e437fc5e1b5d6c86ff5e3884d7d41545c4006d966f1e6f7b493",
		"0794270a6386e66eb4f09c6638b597322fb19b6741b4f6068ecb3c23fe3f7415",
		"54d8c499f632bd08ca22975db97edc22e3c5372d872b714b8432121b058660f8",
		"206c5a737e7a441dca1d850e9d3162e3277f88098c5fc295f87b6c1701d8965a",
		"8f57b5c6a82618ddff921b7989179188ad1283ed5629a527113577b8f5690efd",
		"50b93061d0c2035a8f01bee2454f31930a8fff256b87810ebdfbb57c6b148c30",
		"046956ff5780e9317037888ec74ffd7ce5547178d9cc79dd5e7cf25c3bcfd9da",
		"4a342551845dde73b0bdc6dc71dd70e3fea33ee04b5175ba3aed1d2451925a0d",
		"4c7c4712f6e099a3583faa397ace858516f6d5ed5d39d7b3511c74e698b3173b",
		"1f517f0acb4ba108d73ed26097d4d59d76f373ef7d17bae5942a15bc3e94662c",
	];
	// Two share a bucket, and two others, where the first to come is first.
	const came = [...recorded.slice(7), ...recorded.slice(0, 7)];
	const pool = { list: () => came.map((idHex) => ({ transaction: { idHex } })) };
	expect(pendingIds({ pool } as unknown as ApiNode).txId).toEqual(recorded);
});
