import { describe, expect, it } from "vitest";
import { toHex } from "../../src/protocol/bytes.js";
import type { Message, MessageType } from "../../src/protocol/codec/descriptor.js";
import {
	Account,
	NodeInfo,
	Transaction,
	TransactionExtention,
	TransactionRaw,
} from "../../src/protocol/messages.js";
import { clockOfGrpc, compareGrpc } from "../../tools/replay/compare-grpc.js";
import type { GrpcLine } from "../../tools/replay/recording.js";

function encode<T extends Message>(type: MessageType<T>, init: Partial<T>): Uint8Array {
	return type.encode(type.create(init));
}

function line(path: string, answer: Uint8Array): GrpcLine {
	return { t: "grpc", head: 1, port: "grpc", path, request: "", answer: toHex(answer) };
}

/** Paths at which two answers differ. */
function differ(path: string, expected: Uint8Array, got: Uint8Array): string[] {
	const outcome = compareGrpc(line(path, expected), { answer: got });
	return outcome.kind === "failed" ? outcome.differences.map((difference) => difference.path) : [];
}

/** A reflection answer that lists services. */
function services(...names: string[]): Uint8Array {
	const field = (number: number, value: Buffer) =>
		Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), value]);
	return field(6, Buffer.concat(names.map((name) => field(1, field(1, Buffer.from(name))))));
}

const GET_ACCOUNT = "/protocol.Wallet/GetAccount";
const REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

describe("gRPC answers", () => {
	it("compare as decoded messages", () => {
		expect(differ(GET_ACCOUNT, encode(Account, { balance: 1n }), encode(Account, { balance: 1n }))).toEqual(
			[],
		);
		expect(differ(GET_ACCOUNT, encode(Account, { balance: 1n }), encode(Account, { balance: 2n }))).toEqual([
			"balance",
		]);
	});

	it("compare maps without an order", () => {
		const tokens = (...entries: [string, bigint][]) => encode(Account, { assetV2: new Map(entries) });
		expect(differ(GET_ACCOUNT, tokens(["a", 1n], ["b", 2n]), tokens(["b", 2n], ["a", 1n]))).toEqual([]);
		expect(differ(GET_ACCOUNT, tokens(["a", 1n]), tokens(["a", 2n]))).toEqual(["assetV2.a"]);
	});

	it("overlook the machine and nothing else of the node's information", () => {
		const path = "/protocol.Wallet/GetNodeInfo";
		expect(differ(path, encode(NodeInfo, { beginSyncNum: 1n }), encode(NodeInfo, {}))).toEqual([]);
		expect(differ(path, encode(NodeInfo, { block: "a" }), encode(NodeInfo, { block: "b" }))).toEqual([
			"block",
		]);
	});

	it("compare errors by code and message", () => {
		const { answer: _, ...rest } = line(GET_ACCOUNT, new Uint8Array());
		const recorded: GrpcLine = { ...rest, error: { code: 2, message: "a" } };
		expect(compareGrpc(recorded, { error: { code: 2, message: "a" } }).kind).toBe("passed");
		expect(compareGrpc(recorded, { error: { code: 2, message: "b" } }).kind).toBe("failed");
		expect(compareGrpc(recorded, { error: { code: 3, message: "a" } }).kind).toBe("failed");
		expect(compareGrpc(recorded, { answer: new Uint8Array() }).kind).toBe("failed");
	});

	it("compare listed services as a set", () => {
		expect(differ(REFLECTION, services("a", "b"), services("b", "a"))).toEqual([]);
		expect(differ(REFLECTION, services("a", "b"), services("a"))).toEqual(["services[0]"]);
	});
});

describe("the clock of a call", () => {
	it("is the timestamp of the transaction that was built", () => {
		const raw_data = TransactionRaw.create({
			timestamp: 7n,
			contract: [
				{
					type: 1,
					provider: new Uint8Array(),
					ContractName: new Uint8Array(),
					Permission_id: 0,
					parameter: undefined,
				},
			],
		});
		const transaction = Transaction.create({ raw_data });
		expect(
			clockOfGrpc(line("/protocol.Wallet/CreateTransaction2", encode(TransactionExtention, { transaction }))),
		).toBe(7n);
		expect(clockOfGrpc(line("/protocol.Wallet/CreateTransaction", Transaction.encode(transaction)))).toBe(7n);
		expect(clockOfGrpc(line(GET_ACCOUNT, encode(Account, { balance: 1n })))).toBeUndefined();
	});
});
