import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAddressText } from "../../../src/node/api/parameters.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { hashedLibrary } from "../../../src/protocol/json/older/hashed-library.js";
import { type HttpNode, POOR, POOR_HEX, RICH, RICH_HEX, startHttpNode } from "./http-node.js";

let node: HttpNode;
beforeAll(async () => {
	node = await startHttpNode("storage.balance.history.lookup = true\nnode.disabledApi = []");
});
afterAll(() => node.close());

describe("getaccount", () => {
	it("takes an address in hexadecimal, or in Base58Check when visible, by body or query", async () => {
		const hex = await node.post("/wallet/getaccount", { address: RICH_HEX });
		expect(hex.json).toMatchObject({
			address: RICH_HEX,
			balance: 95_000_000_000_000_000,
		});
		expect((await node.ask(`/wallet/getaccount?address=0x${RICH_HEX}`)).text).toBe(hex.text);
		const visible = await node.post("/wallet/getaccount", { address: toBase58Check(RICH), visible: true });
		expect(visible.json).toMatchObject({ address: toBase58Check(RICH), account_name: "Zion" });
		expect((await node.ask(`/wallet/getaccount?visible=true&address=${toBase58Check(RICH)}`)).text).toBe(
			visible.text,
		);
	});

	it("lists all three stakes, of which getaccountbyid shows those that are stored", async () => {
		const { json } = await node.post("/wallet/getaccount", { address: RICH_HEX });
		expect(json["frozenV2"]).toEqual([{}, { type: "ENERGY" }, { type: "TRON_POWER" }]);
		// The empty id belongs to the last genesis account.
		expect((await node.post("/wallet/getaccountbyid", {})).json["frozenV2"]).toBeUndefined();
	});

	it("answers nothing for an unknown address", async () => {
		expect((await node.post("/wallet/getaccount", { address: "41" })).text).toBe("{}\n");
		expect((await node.ask("/wallet/getaccount")).text).toBe("{}\n");
	});
});

describe("a visible address", () => {
	it.each([
		["getaccountresource", "address"],
		["getmarketorderbyaccount", "value"],
		["getdelegatedresourceaccountindexv2", "value"],
		["getcontract", "value"],
	])("that has other characters or another length is taken by %s for none", async (name, member) => {
		for (const text of [POOR_HEX, `${toBase58Check(POOR)}1`, "0".repeat(34)]) {
			expect((await node.post(`/wallet/${name}`, { [member]: text, visible: true })).text).toBe("{}\n");
			expect((await node.ask(`/wallet/${name}?${member}=${text}&visible=true`)).text).toBe("{}\n");
		}
	});

	it("was refused by its first wrong character up to release 4.8.1", () => {
		expect(() => parseAddressText("T0", true, hashedLibrary)).toThrow("Illegal character 0 at 1");
		expect(parseAddressText(`${toBase58Check(POOR)}1`, true, hashedLibrary)).toHaveLength(0);
	});
});

describe("a query that can't be read", () => {
	it("has an empty answer to GET, and spoils to POST what reads parameters alone", async () => {
		for (const name of ["getaccount", "getblockbynum", "getburncoin", "listwitnesses"]) {
			expect(await node.ask(`/wallet/${name}?x=%zz`)).toMatchObject({ status: 200, text: "" });
		}
		expect((await node.post("/wallet/getaccount?x=%zz", {})).text).toBe("{}\n");
		expect((await node.post("/wallet/listwitnesses?x=%zz", {})).text).toContain("Unable to parse URI query");
	});
});

describe("blocks", () => {
	it.each([
		["/wallet/getblock", "{}", '"blockID"'],
		["/wallet/getblock", "", '"blockID"'],
		["/wallet/getblock", '{"id_or_num":"0"}', '"blockID"'],
		["/wallet/getblock", '{"id_or_num":"1"}', "{}"],
		["/wallet/getblock", '{"id_or_num":"-1"}', "num must be non-positive number."],
		["/wallet/getblock", '{"id_or_num":"latest"}', "id must be legal block hash."],
		["/wallet/getblock", '{"id_or_num":0}', "Expected string."],
		["/wallet/getblockbynum", "{}", '"transactions"'],
		["/wallet/getblockbynum", '{"num":-1}', "{}"],
		["/wallet/getblockbylatestnum", '{"num":99}', '{"block":[{'],
		["/wallet/getblockbylatestnum", '{"num":100}', "{}"],
		["/wallet/getblockbylatestnum", '{"num":0}', "{}"],
		["/wallet/getblockbylimitnext", '{"startNum":0,"endNum":100}', '{"block":[{'],
		["/wallet/getblockbylimitnext", '{"startNum":0,"endNum":101}', "{}"],
		["/wallet/getblockbylimitnext", '{"startNum":-1,"endNum":2}', '{"block":[]}'],
		["/wallet/getblockbylimitnext", '{"startNum":-100,"endNum":1}', "{}"],
		["/wallet/getblockbylimitnext", '{"startNum":-9223372036854775808,"endNum":1}', '{"block":[]}'],
		["/wallet/gettransactioncountbyblocknum", '{"num":0}', '{"count": 3}'],
		["/wallet/gettransactioncountbyblocknum", '{"num":7}', '{"count": 0}'],
		["/wallet/gettransactioninfobyblocknum", '{"num":0}', "{}"],
		["/wallet/gettransactioninfobyblocknum", '{"num":7}', "[]"],
	])("are found by %s %s", async (path, body, expected) => {
		expect((await node.post(path, body)).text).toContain(expected);
	});

	it("leave their transactions out unless detail is asked for", async () => {
		expect((await node.ask("/wallet/getblock")).json["transactions"]).toBeUndefined();
		expect((await node.ask("/wallet/getblock?detail=true")).json["transactions"]).toHaveLength(3);
	});

	it("need a number where the query has to give one", async () => {
		expect((await node.ask("/wallet/getblockbylatestnum")).text).toContain("NumberFormatException");
		expect((await node.ask("/wallet/getblockbynum?num=x")).json).toEqual({
			Error: 'class java.lang.NumberFormatException : For input string: "x"',
		});
	});

	it("show what they did to balances", async () => {
		const { json } = await node.ask("/wallet/getnowblock");
		const block = { hash: json["blockID"], number: 0 };
		const at = (account: string) =>
			node.post("/wallet/getaccountbalance", {
				account_identifier: { address: account },
				block_identifier: block,
			});
		expect((await at(RICH_HEX)).json).toEqual({
			balance: 95_000_000_000_000_000,
			block_identifier: { hash: block.hash },
		});
		expect((await at("41")).text).toContain("IllegalArgumentException : null");
		expect((await node.post("/wallet/getblockbalance", { ...block, number: 9 })).text).toContain(
			"number: 9 is not found!",
		);
		expect((await node.post("/wallet/getblockbalance", block)).text).toContain(
			'"block_identifier": {"hash":',
		);
	});
});

describe("validateaddress", () => {
	it.each([
		[RICH_HEX, '{"result":true,"message":"Hex string format"}'],
		[toBase58Check(RICH), '{"result":true,"message":"Base58check format"}'],
		[Buffer.from(RICH).toString("base64"), '{"result":true,"message":"Base64 format"}'],
		[`a0${RICH_HEX.slice(2)}`, '{"result":false,"message":"Invalid address"}'],
		["T000000000000000000000000000000000", '{"result":false,"message":"Illegal character 0 at 1"}'],
		["*".repeat(28), '{"result":false,"message":"Illegal base64 character 2a"}'],
		["é".padEnd(28, "A"), '{"result":false,"message":"Illegal base64 character -17"}'],
		["=".padStart(28, "A"), '{"result":false,"message":"Invalid address"}'],
		[`${"A".repeat(26)}=A`, '{"result":false,"message":"Input byte array has wrong 4-byte ending unit"}'],
		[`${"A".repeat(24)}====`, '{"result":false,"message":"Input byte array has wrong 4-byte ending unit"}'],
		[`${"A".repeat(25)}===`, '{"result":false,"message":"Last unit does not have enough valid bits"}'],
		[
			`${"A".repeat(23)}=AAAA`,
			'{"result":false,"message":"Input byte array has incorrect ending byte at 24"}',
		],
		["41", '{"result":false,"message":"Length error"}'],
	])("judges %s", async (address, expected) => {
		expect((await node.post("/wallet/validateaddress", { address })).text.trim()).toBe(expected);
	});

	it("answers nothing to what it can't read", async () => {
		expect(await node.post("/wallet/validateaddress", "x")).toMatchObject({ status: 200, text: "" });
		expect((await node.post("/wallet/validateaddress", {})).text).toBe('{"result":false}\n');
	});
});

describe("getReward and getBrokerage", () => {
	it.each([
		["getBrokerage", POOR_HEX, '{"brokerage": 20}'],
		["getBrokerage", toBase58Check(POOR), '{"brokerage": 20}'],
		["getBrokerage", "zz", '{"brokerage": 0}'],
		["getReward", POOR_HEX, '{"reward": 0}'],
		["getReward", "0x41", '{"reward": 0}'],
		[
			"getReward",
			"41zz",
			'{"Error": "INVALID address, exception decoding Hex string: invalid characters encountered in Hex string"}',
		],
	])("read for %s the address %s in either form", async (name, address, expected) => {
		expect((await node.ask(`/wallet/${name}?address=${address}`)).text.trim()).toBe(expected);
		expect((await node.post(`/wallet/${name}`, { address, visible: false })).text.trim()).toBe(expected);
	});

	it("don't read a body without a content type", async () => {
		const body = Buffer.from(JSON.stringify({ address: POOR_HEX }));
		const answer = await node.ask("/wallet/getBrokerage", { body, headers: { "Content-Type": "" } });
		expect(answer.text).toBe('{"brokerage": 0}\n');
	});
});

describe("values of the network", () => {
	it("list the chain parameters in the deployed spelling, zeros without a value", async () => {
		const { chainParameter } = (await node.ask("/wallet/getchainparameters")).json as {
			chainParameter: { key: string; value?: number }[];
		};
		expect(chainParameter).toHaveLength(79);
		expect(chainParameter[18]).toEqual({ key: "getAllowTvmTransferTrc10" });
	});

	it.each([
		["getenergyprices", '{"prices": "0:100"}'],
		["getbandwidthprices", '{"prices": "0:10"}'],
		["getmemofee", '{"prices": "0:0"}'],
		["listnodes", "{}"],
		["listproposals", "{}"],
		["totaltransaction", "{}"],
	])("are told by %s", async (name, expected) => {
		expect((await node.ask(`/wallet/${name}`)).text.trim()).toBe(expected);
	});

	it("tell of the node with every member, in alphabetical order", async () => {
		const { json } = await node.ask("/wallet/getnodeinfo");
		const names = Object.keys(json);
		expect(names).toEqual([...names].sort());
		expect(names).toHaveLength(11);
		expect(json["block"]).toMatch(/^Num:0,ID:0{16}[0-9a-f]{48}$/);
		expect((await node.ask("/monitor/getstatsinfo")).text).toMatch(
			/^\{\n\t"blockchain":\{\n\t\t"blockProcessTime"/,
		);
	});
});
