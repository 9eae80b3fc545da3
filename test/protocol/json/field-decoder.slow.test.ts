import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { decodeFields } from "../../../src/protocol/json/field-decoder.js";
import { hashedLibrary } from "../../../src/protocol/json/older/hashed-library.js";
import {
	AccountUpdateContract,
	AssetIssueContract,
	CanDelegatedMaxSizeRequestMessage,
	FreezeBalanceContract,
	Permission,
	PostQuantumDelegableRequest,
	ProposalCreateContract,
	SmartContractABIEntry,
	TransferContract,
	VoteWitnessContract,
} from "../../../src/protocol/messages.js";
import { processorMs } from "../../processor-time.js";

const A = "414adf5ad22d5d67206b61dab0f139af453c1f8630";
const B = "4121e0d26f37a60a252856b63c64d4a6ecba842a34";
const VISIBLE_A = "TGo6aDUZCuh7mp5Gh6fXXYisNEbKv2BHZ3";
const transfer = (amount: string) => `{"owner_address":"${A}","to_address":"${B}","amount":${amount}}`;

describe("the field decoder", () => {
	it.each([
		[transfer("7"), 7n],
		[transfer("010"), 8n],
		[transfer("0x10"), 16n],
		[transfer("+7"), 7n],
		[transfer("-5"), -5n],
		[transfer("null"), 0n],
		[transfer("[5,6]"), 6n],
		[transfer("[]"), 0n],
		[transfer("9223372036854775807"), 9223372036854775807n],
		[`{owner_address:"${A}",to_address:"${B}",amount:7}`, 7n],
		[`{"1":"${A}","2":"${B}","3":7}`, 7n],
		[`{"owner_address":"${A}" "to_address":"${B}" "amount":7}`, 7n],
		[`{"amount":6,"amount":7,#note\n"foo":{"x":[1,2,{"y":"z"}]},"bar":null,"":1}`, 7n],
	])("reads the amount of %s", (text, amount) => {
		expect(decodeFields(TransferContract, text, false).amount).toBe(amount);
	});

	it.each([
		[`{"owner_address":"0x${A}"}`],
		[`{"owner_address":" ${A.slice(0, 20)}\t ${A.slice(20)} "}`],
		[`{"owner_address":"${A.toUpperCase()}"}`],
		[`{"owner_address":["${B}","${A}"]}`],
	])("reads the address of %s", (text) => {
		expect(toHex(decodeFields(TransferContract, text, false).owner_address)).toBe(A);
	});

	it.each([CanDelegatedMaxSizeRequestMessage, PostQuantumDelegableRequest])(
		"reads visible addresses of what is asked about delegating, on Nile too",
		(type) => {
			const read = (address: string) => decodeFields(type, `{"owner_address":"${address}"}`, true);
			expect(toHex(read(VISIBLE_A).owner_address)).toBe(A);
			expect(() => read(A)).toThrow(
				"invalid address for field: protocol.CanDelegatedMaxSizeRequestMessage.owner_address",
			);
		},
	);

	it("pads an odd number of digits", () => {
		expect(toHex(decodeFields(TransferContract, '{"owner_address":"4"}', false).owner_address)).toBe("04");
	});

	it.each([
		[transfer('"7"'), `1:130: Couldn't parse integer: For input string: ""7""`],
		[transfer("7.5"), `1:130: Couldn't parse integer: For input string: "7.5"`],
		[transfer("08"), `1:130: Couldn't parse integer: For input string: "08" under radix 8`],
		[transfer("true"), `1:130: Couldn't parse integer: For input string: "true"`],
		[transfer("{}"), `1:130: Couldn't parse integer: For input string: "{"`],
		[
			transfer("9223372036854775808"),
			"1:130: Couldn't parse integer: Number out of range for 64-bit signed integer: 9223372036854775808",
		],
		[transfer('"123456789012345678"'), `1:130: Couldn't parse integer: For input string: ""1"`],
		[transfer("7,"), "1:132: Expected identifier. -}"],
		[transfer('7,"foo":{}'), "1:139: Expected identifier. -}"],
		[transfer('7,"foo":[]'), "1:139: Expected string."],
		[transfer('7,"foo":1.5'), `1:138: Couldn't parse integer: For input string: "1.5"`],
		[transfer('7,"foo-bar":1'), "1:132: Expected identifier. --"],
		[transfer('7,"foo":"a\nb"'), "1:138: String missing ending quote."],
		[
			`${transfer("7")}//c`,
			"1:132: Expecting the end of the stream, but there seems to be more data!  Check the input for a valid JSON format.",
		],
		['{"owner_address":"zz","amount":1}', "1:18: INVALID hex String"],
		['{"owner_address":41}', "1:18: Expected string."],
		['{"owner\\u005faddress":"41"}', "1:2: Expected identifier. -\\"],
		["{'owner_address':1}", "1:2: Expected identifier. -'"],
		["", '1:1: Expected "{".'],
		[" ", '1:2: Expected "{".'],
		["[]", '1:1: Expected "{".'],
		['{\n  "owner_address": 5}', "2:20: Expected string."],
	])("refuses %s", (text, message) => {
		expect(() => decodeFields(TransferContract, text, false, hashedLibrary)).toThrow(
			expect.objectContaining({ name: "JsonFormat$ParseException", text: message }),
		);
	});

	it("reads addresses in Base58Check when visible", () => {
		const message = decodeFields(TransferContract, `{"owner_address":"${VISIBLE_A}"}`, true);
		expect(toHex(message.owner_address)).toBe(A);
	});

	it.each([
		[
			`{"owner_address":"${A}"}`,
			"JsonFormat$ParseException",
			"1:18: INVALID base58 String, Illegal character 0 at 17",
		],
		['{"owner_address":""}', "NullPointerException", null],
		[`{"owner_address":"${VISIBLE_A.slice(0, -1)}1"}`, "NullPointerException", null],
	])("refuses the visible address of %s", (text, name, message) => {
		expect(() => decodeFields(TransferContract, text, true, hashedLibrary)).toThrow(
			expect.objectContaining({ name, text: message }),
		);
	});

	it("keeps the escapes of visible text", () => {
		const message = decodeFields(AccountUpdateContract, '{"account_name":"a\\u00e9\\"b"}', true);
		expect(Buffer.from(message.account_name).toString()).toBe('a\\u00e9\\"b');
	});

	it("reads enums by number, name, quoted name and lower-case name in either spelling", () => {
		const resource = (value: string) =>
			decodeFields(FreezeBalanceContract, `{"resource":${value}}`, false).resource;
		expect([resource("1"), resource('"ENERGY"'), resource("ENERGY"), resource('"TRON_POWER"')]).toEqual([
			1, 1, 1, 2,
		]);
		expect(decodeFields(Permission, '{"type":"active"}', false).type).toBe(2);
		expect(decodeFields(SmartContractABIEntry, '{"stateMutability":"view"}', false).stateMutability).toBe(2);
		expect(() => resource('"energy"')).toThrow(
			'1:13: Enum type "protocol.ResourceCode" has no value named "Energy".',
		);
		expect(() => resource('"toString"')).toThrow('has no value named "toString".');
		expect(() => resource("9")).toThrow(
			'1:13: Enum type "protocol.ResourceCode" has no value with number 9.',
		);
	});

	it("reads maps, nested messages and repeated fields, also from a single value", () => {
		const proposal = decodeFields(
			ProposalCreateContract,
			'{"parameters":[{"key":0,"value":5},{"key":9}]}',
			false,
		);
		expect([...proposal.parameters]).toEqual([
			[0n, 5n],
			[9n, 0n],
		]);
		const single = decodeFields(ProposalCreateContract, '{"parameters":{"key":3,"value":7}}', false);
		expect([...single.parameters]).toEqual([[3n, 7n]]);
		const votes = decodeFields(
			VoteWitnessContract,
			`{"votes":[{"vote_address":"${A}","vote_count":3},{}]}`,
			false,
		).votes;
		expect(votes.map((vote) => vote.vote_count)).toEqual([3n, 0n]);
		expect(() => decodeFields(VoteWitnessContract, '{"votes":null}', false)).toThrow('Expected "{".');
	});

	it("accepts the deployed spelling of a field", () => {
		expect(decodeFields(AssetIssueContract, '{"trx_num":5}', false).coin_num).toBe(5);
		expect(decodeFields(AssetIssueContract, '{"coin_num":5}', false).coin_num).toBe(5);
	});

	it("reads a message that is named by its number from its bytes", () => {
		const bytes = toHex(fromHex("0802"));
		const votes = decodeFields(VoteWitnessContract, `{"2":["${bytes}"]}`, false).votes;
		expect(votes).toHaveLength(1);
	});
});

describe("a text that would take long", () => {
	const timed = (read: () => unknown): number =>
		processorMs(() => {
			try {
				read();
			} catch {
				// What is refused may be.
			}
		});

	it("is read in time that grows with it: many elements of a list", () => {
		const votes = Array.from({ length: 60_000 }, (_, i) => `{"vote_count":${i + 1}}`);
		const text = `{"votes":[${votes.join(",")}]}`;
		expect(timed(() => decodeFields(VoteWitnessContract, text, false))).toBeLessThan(4_000);
		const { votes: read } = decodeFields(VoteWitnessContract, text, false);
		expect(read).toHaveLength(60_000);
		expect(read.at(-1)?.vote_count).toBe(60_000n);
		expect(new VoteWitnessContract().votes).toHaveLength(0);
	});

	it("is read in time that grows with it: blanks between hexadecimal digits", () => {
		const text = transfer("7").replace(A, `${"41 ".repeat(500_000)}`);
		expect(timed(() => decodeFields(TransferContract, text, false))).toBeLessThan(4_000);
		const odd = transfer("7").replace(A, `${"41 ".repeat(500_000)}4`);
		expect(timed(() => decodeFields(TransferContract, odd, false))).toBeLessThan(4_000);
	});

	it("is refused where it has too many tokens or levels", () => {
		const many = `{${Array.from({ length: 200_000 }, (_, i) => `"m${i}":1`).join(",")}}`;
		expect(() => decodeFields(TransferContract, many, false)).toThrow("More than 500000 tokens.");
		expect(() => decodeFields(TransferContract, `{"a":${"[".repeat(100_000)}`, false, hashedLibrary)).toThrow(
			"nested too deeply",
		);
	});
});
