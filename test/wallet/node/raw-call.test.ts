import { describe, expect, test } from "vitest";
import { endpoints } from "../../../src/node/api/endpoint-table.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import { isRefusal, jsonRpcRequest, RequestBody } from "../../../src/wallet/node/raw-call.js";

const FIELDS = [
	{ name: "owner_address", type: "address" },
	{ name: "amount", type: "int64" },
	{ name: "visible", type: "bool" },
	{ name: "name", type: "string" },
	{ name: "keys", type: "bytes[]" },
	{ name: "options", type: "Options" },
	{ name: "votes", type: "Vote[]" },
];
const BASE58 = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const HEX = "417e5f4552091a69125d5dfcb7b8c2659029395bdf";

const body = (visible?: boolean, exact = false): RequestBody => new RequestBody(FIELDS, visible, exact);

describe("a request's body", () => {
	test("knows the fields that the endpoint doesn't have", () => {
		const made = body();
		for (const name of ["owner-adress", "amount", "Permission_id", "zzz"]) made.add(name, "1");
		const typed = '{"ammount":1,"amount":1,"Permission_id":2,"other":3}';
		expect(made.warnings("create", typed)).toEqual([
			"create has no field owner-adress; did you mean owner_address?",
			"create has no field zzz",
			"create has no field ammount; did you mean amount?",
		]);
		expect(made.warnings("create", "not even JSON")).toHaveLength(2);
		const padded = body();
		padded.add("amount", "007");
		expect(padded.warnings("create", undefined)).toEqual([]);
	});

	test("knows the members that the messages of its fields don't have", () => {
		const request = (endpoint: string): RequestBody =>
			new RequestBody(endpoints.find(({ name }) => name === endpoint)?.fields ?? [], undefined, false);
		const update = request("accountpermissionupdate");
		update.add("owner.treshold", "2");
		update.add("owner.keys", '[{"address":"","wieght":1,"label":"x"}]');
		update.add("actives", '[{"type":2,"3":"by number","keys":[{"adress":"","weight":1}]}]');
		const given =
			'{"witness":{"permision_name":"w","colour":"red","keys":[{"weigth":1}]},"actives":[{"thresold":1}]}';
		const warned = update.warnings("update", given);
		expect(warned).toEqual([
			"update has no field owner.treshold; did you mean threshold?",
			"update has no field owner.keys.wieght; did you mean weight?",
			"update has no field owner.keys.label",
			"update has no field actives.keys.adress; did you mean address?",
			"update has no field witness.permision_name; did you mean permission_name?",
			"update has no field witness.keys.weigth; did you mean weight?",
			"update has no field actives.thresold; did you mean threshold?",
		]);
		const sent = `{"raw_data":{"ref_block_byte":"","contract":[{"type":"TransferContract","Permission_id":2,"parameter":{"type_url":"","value":{"amout":1}}}]}}`;
		expect(request("broadcasttransaction").warnings("send", sent)).toEqual([
			"send has no field raw_data.ref_block_byte; did you mean ref_block_bytes?",
		]);
	});

	test("may be a transaction with all that tools add to it", () => {
		for (const name of ["broadcasttransaction", "getsignweight", "getapprovedlist"]) {
			const { fields } = endpoints.find((endpoint) => endpoint.name === name) ?? { fields: [] };
			const sent =
				'{"visible":true,"txID":"","contract_address":"","raw_data":{},"raw_data_hex":"","signature":[],"pq_auth_sig":[],"coin":{},"ret":[]}';
			expect(new RequestBody(fields, undefined, false).warnings(name, sent)).toEqual([]);
		}
	});

	test("has what a message holds by names with dots", () => {
		const made = body();
		made.add("options.inner.number", "9007199254740993");
		made.add("options.inner.name", BASE58);
		made.add("options.list", "[1]");
		expect(made.over(undefined)).toBe(
			`{"options":{"inner":{"number":9007199254740993,"name":"${HEX}"},"list":[1]}}`,
		);
		expect(made.warnings("create", undefined)).toEqual([]);
	});

	test("has each field in the form of its type, every digit kept", () => {
		const made = body();
		made.add("amount", "9007199254740993");
		made.add("name", "12");
		made.add("visible", "true");
		made.add("options", '{"a":1}');
		made.add("extra", "word");
		made.add("Permission_id", "2");
		expect(made.over(undefined)).toBe(
			'{"amount":9007199254740993,"name":"12","visible":true,"options":{"a":1},"extra":"word","Permission_id":2}',
		);
	});

	test("has addresses in the form that visible means, and as typed where they must stay", () => {
		for (const [made, text, sent] of [
			[body(), BASE58, HEX],
			[body(true), HEX, BASE58],
			[body(true), `0x${HEX.slice(2)}`, BASE58],
			[body(undefined, true), BASE58, BASE58],
		] as const) {
			made.add("owner-address", text);
			expect(made.over(undefined)).toBe(`{"owner_address":"${sent}"}`);
		}
	});

	test("collects a list, and takes the last of any other field", () => {
		const made = body();
		for (const text of ["aa", "bb"]) made.add("keys", text);
		for (const text of ["1", "2"]) made.add("amount", text);
		expect(made.over(undefined)).toBe('{"keys":["aa","bb"],"amount":2}');
		expect(made.query()).toBe("keys=aa&keys=bb&amount=2");
	});

	test("has the elements of a list that is typed, not the list as an element", () => {
		const made = body(true);
		made.add("votes", '[{"count":9007199254740993},{"count":2}]');
		made.add("votes", '{"count":3}');
		made.add("keys", `["${HEX}","bb"]`);
		expect(made.over(undefined)).toBe(
			`{"votes":[{"count":9007199254740993},{"count":2},{"count":3}],"keys":["${BASE58}","bb"]}`,
		);
		const empty = body();
		empty.add("votes", "[]");
		expect(empty.over(undefined)).toBe('{"votes":[]}');
		empty.addFree("votes", "[1]");
		expect(empty.over(undefined)).toBe('{"votes":[1]}');
	});

	test("replaces and extends members of a given object", () => {
		const made = body();
		made.add("amount", "5");
		made.addFree("free", "[1]");
		expect(made.over('{"big":12345678901234567890,"amount":1}')).toBe(
			'{"big":12345678901234567890,"amount":5,"free":[1]}',
		);
		expect(body().over("not even JSON")).toBe("not even JSON");
		for (const base of ["[]", "{"]) expect(() => made.over(base)).toThrow(/so no field can be added/);
	});

	test.each([
		["amount", "1.5", "a whole number is needed"],
		["visible", "yes", "true or false is needed"],
	])("refuses --%s %s", (name, text, message) => {
		expect(() => body().add(name, text)).toThrow(message);
	});
});

test("a JSON-RPC request takes values as JSON, words as texts, and addresses in the form of Ethereum", () => {
	expect(jsonRpcRequest("eth_call", ['{"to":1}', "latest", BASE58])).toBe(
		`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":1},"latest","0x${HEX.slice(2)}"]}`,
	);
});

test.each<[answer: string, status: number, isBroadcast: boolean, refused: boolean]>([
	["{}", 200, false, false],
	["{}", 500, false, true],
	["plain text", 200, false, false],
	['{"Error":"class X"}', 200, false, true],
	['{"error":{"code":1}}', 200, false, true],
	['[{"result":1},{"error":{}}]', 200, false, true],
	['[{"result":1}]', 200, false, false],
	['{"result":{"result":true}}', 200, false, false],
	['{"result":{"code":"NOT_ENOUGH_PERMISSION"}}', 200, false, false],
	['{"result":{"code":"OTHER_ERROR"}}', 200, false, true],
	['{"result":true}', 200, true, false],
	['{"code":"SIGERROR"}', 200, true, true],
])(
	"the answer %s with status %i (a broadcast: %s) is a refusal: %s",
	(text, status, isBroadcast, refused) => {
		expect(isRefusal({ status, headers: {}, body: utf8(text) } as never, isBroadcast)).toBe(refused);
	},
);
