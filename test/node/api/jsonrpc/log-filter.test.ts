import { beforeAll, describe, expect, test } from "vitest";
import { rpcAnswersOf } from "../../../../src/node/api/jsonrpc/answers.js";
import { readRawJson } from "../../../../src/node/api/jsonrpc/json-reader.js";
import {
	filterObject,
	type LogFilter,
	matchesLog,
	readLogFilter,
} from "../../../../src/node/api/jsonrpc/log-filter.js";
import { RpcError } from "../../../../src/node/api/jsonrpc/rpc-error.js";
import type { Release } from "../../../../src/node/rules/release.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { MAX_INT64 } from "../../../../src/protocol/int64.js";
import { NamedError } from "../../../../src/protocol/json/exceptions.js";
import { TransactionInfoLog } from "../../../../src/protocol/messages.js";
import { address, SmallChain, topic } from "./small-chain.js";

const HEAD = 100n;
const SOLID = 95n;
const MAX = MAX_INT64;
let chain: SmallChain;
let oneBlock: string;

beforeAll(async () => {
	chain = await SmallChain.create();
	oneBlock = toHex(chain.add(40n).block.id);
	chain.add(HEAD, [], { solidified: SOLID });
});

function read(json: string, maxSubTopics = 3, release: Release = "4.8.0"): LogFilter {
	const object = filterObject.read(readRawJson(json), release);
	if (object === null) throw new Error("null");
	return readLogFilter(
		chain.state,
		object,
		{ maxAddresses: 4, maxSubTopics },
		rpcAnswersOf({ release }).readers,
	);
}

function refusal(json: string): string {
	try {
		read(json);
	} catch (error) {
		if (error instanceof RpcError) return `${error.code} ${error.message}`;
		if (error instanceof NamedError) return error.name;
		throw error;
	}
	return "accepted";
}

const A = `0x${toHex(address(1))}`;
const B = `0x${toHex(address(2))}`;
const T = `0x${toHex(topic(1))}`;
const U = `0x${toHex(topic(2))}`;

describe("from release 4.8.2 on", () => {
	const later = (json: string): string => {
		try {
			read(json, 3, "4.8.2");
			return "accepted";
		} catch (error) {
			if (error instanceof RpcError) return `${error.code} ${error.message}`;
			throw error;
		}
	};

	test.each<[string, string]>([
		['{"toBlock":"safe"}', "-32602 TAG safe not supported"],
		['{"fromBlock":"0x-1"}', "-32602 invalid block number"],
		['{"fromBlock":"0xzz"}', "-32602 invalid block number"],
		['{"fromBlock":"5"}', "-32602 Incorrect hex syntax"],
		['{"blockHash":"zz"}', "-32602 invalid hash value"],
		[`{"blockHash":"${"2".repeat(64)}"}`, "-32602 invalid blockHash"],
		['{"address":"zz"}', "-32602 invalid address: zz"],
		['{"address":[5]}', "-32602 invalid address at index 0: 5"],
		['{"address":5}', "-32602 invalid addresses in query"],
		['{"topics":[5]}', "-32602 invalid topic(s)"],
		['{"topics":"x"}', "-32602 invalid topic(s): x"],
		[`{"topics":[[["${T}"]]]}`, `-32602 invalid topic(s): [${T}]`],
		[`{"topics":["${T.slice(0, -1)}"]}`, "accepted"],
	])("%s", (json, outcome) => {
		expect(later(json)).toBe(outcome);
	});
});

describe("the range of a filter", () => {
	test.each<[string, bigint, bigint]>([
		["{}", HEAD, MAX],
		['{"fromBlock":"","toBlock":null}', HEAD, MAX],
		['{"toBlock":"latest"}', HEAD, MAX],
		['{"toBlock":"0x5"}', 5n, 5n],
		['{"toBlock":"0xff"}', HEAD, 255n],
		['{"fromBlock":"LATEST"}', HEAD, MAX],
		['{"fromBlock":"0x5"}', 5n, MAX],
		['{"fromBlock":"latest","toBlock":"latest"}', HEAD, MAX],
		['{"fromBlock":"latest","toBlock":"0x64"}', HEAD, 100n],
		['{"fromBlock":"0x5","toBlock":"latest"}', 5n, MAX],
		['{"fromBlock":"0x5","toBlock":"0x9"}', 5n, 9n],
		['{"fromBlock":"earliest","toBlock":"finalized"}', 0n, SOLID],
		['{"fromBlock":"0x-1","toBlock":"0x-1"}', HEAD, MAX],
	])("%s", (json, from, to) => {
		expect(read(json)).toMatchObject({ from, to, isOneBlock: false });
	});

	test("is one block where its id is given", () => {
		expect(read(`{"blockHash":"0x${oneBlock}"}`)).toMatchObject({ from: 40n, to: 40n, isOneBlock: true });
	});

	test.each<[string, string]>([
		['{"fromBlock":"pending"}', "-32602 TAG pending not supported"],
		['{"toBlock":"safe"}', "-32602 Incorrect hex syntax"],
		['{"fromBlock":5}', "-32602 Incorrect hex syntax"],
		['{"fromBlock":"0xzz"}', "NumberFormatException"],
		['{"fromBlock":"0x9","toBlock":"0x5"}', "-32602 please verify: fromBlock <= toBlock"],
		['{"fromBlock":"latest","toBlock":"0x5"}', "-32602 please verify: fromBlock <= toBlock"],
		['{"blockHash":"0x12"}', "-32602 invalid blockHash"],
		['{"blockHash":"zz"}', "DecoderException"],
		[
			'{"blockHash":"zz","fromBlock":""}',
			"-32602 cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other",
		],
	])("%s is refused: %s", (json, expected) => {
		expect(refusal(json)).toBe(expected);
	});
});

describe("the conditions of a filter", () => {
	test.each<[string, string]>([
		['{"address":"0x12"}', "-32602 invalid address: 0x12"],
		['{"address":""}', "-32602 invalid address: "],
		[`{"address":"0x41${toHex(address(1))}"}`, `-32602 invalid address: 0x41${toHex(address(1))}`],
		['{"address":"zz"}', "DecoderException"],
		[`{"address":["${A}","0x12"]}`, "-32602 invalid address at index 1: 0x12"],
		['{"address":[null]}', "-32602 invalid address at index 0: null"],
		['{"address":[5]}', "ClassCastException"],
		['{"address":5}', "-32602 invalid addresses in query"],
		['{"address":{}}', "-32602 invalid addresses in query"],
		['{"topics":["0x12"]}', "-32602 invalid topic(s): 0x12"],
		['{"topics":["zz"]}', "DecoderException"],
		['{"topics":[5]}', "-32602 invalid topic(s)"],
		['{"topics":[{}]}', "-32602 invalid topic(s)"],
		['{"topics":[[null]]}', "-32602 invalid topic(s): null"],
		[`{"topics":[["${T}","0x12"]]}`, "-32602 invalid topic(s): 0x12"],
		['{"topics":[null,null,null,null,null]}', "-32602 topics size should be <= 4"],
		[`{"topics":[["${T}","${T}","${T}","${T}"]]}`, "-32602 exceed max topics: 3"],
		['{"address":"0x12","topics":[5],"fromBlock":"pending"}', "-32602 invalid address: 0x12"],
	])("%s is refused: %s", (json, expected) => {
		expect(refusal(json)).toBe(expected);
	});

	test("has no limit of alternatives where the limit is 0", () => {
		const many = Array(5).fill(`"${T}"`).join(",");
		expect(read(`{"topics":[[${many}]]}`, 0).topics[0]).toHaveLength(5);
	});

	/** A log of address 1 with topics 1 and 2. */
	const LOG = TransactionInfoLog.create({ address: address(1), topics: [topic(1), topic(2)] });

	test.each<[string, boolean]>([
		["{}", true],
		['{"address":[],"topics":[]}', true],
		[`{"address":"${A}"}`, true],
		[`{"address":"${B}"}`, false],
		[`{"address":["${B}","${A}"]}`, true],
		[`{"topics":"${T}"}`, true],
		[`{"topics":["${U}"]}`, false],
		[`{"topics":[["${U}","${T}"]]}`, true],
		[`{"topics":[null,"${U}"]}`, true],
		[`{"topics":[[],"${U}"]}`, true],
		[`{"topics":["${T}","${T}"]}`, false],
		[`{"topics":[null,null]}`, true],
		[`{"topics":[null,null,null]}`, false],
		[`{"address":"${B}","topics":["${T}"]}`, false],
	])("%s matches: %s", (json, matches) => {
		expect(matchesLog(read(json), LOG)).toBe(matches);
	});
});

test("a filter names only so many addresses", () => {
	const addresses = (count: number): string => JSON.stringify(Array(count).fill(`0x${"11".repeat(20)}`));
	expect(read(`{"address":${addresses(4)}}`).addresses).toHaveLength(4);
	expect(refusal(`{"address":${addresses(5)}}`)).toBe("-32602 exceed max addresses: 4");
});
