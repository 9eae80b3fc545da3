import protobuf from "protobufjs";
import * as extension from "protobufjs/ext/descriptor/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromHex, toHex, utf8 } from "../../../../src/protocol/bytes.js";
import { Reader } from "../../../../src/protocol/codec/reader.js";
import { type GrpcNode, startGrpcNode } from "./grpc-node.js";

/** What the schema parser's extension reads a file into. */
interface FileDescriptor {
	readonly name: string;
	readonly service: readonly {
		readonly name: string;
		readonly method: readonly {
			readonly name: string;
			readonly clientStreaming?: boolean;
			readonly serverStreaming?: boolean;
		}[];
	}[];
}

/** The extension comes without types. */
const { FileDescriptorProto } = extension as unknown as { readonly FileDescriptorProto: protobuf.Type };

const PATH_V1 = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const PATH = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

/** A request with one text. */
const ask = (field: number, text: string): Uint8Array => {
	const bytes = utf8(text);
	return Uint8Array.of(field * 8 + 2, bytes.length, ...bytes);
};

/** The length-prefixed fields of a message. */
function fields(bytes: Uint8Array): [number, Uint8Array][] {
	const reader = new Reader(bytes);
	const found: [number, Uint8Array][] = [];
	while (reader.pos < reader.end) {
		const tag = reader.uint32();
		if ((tag & 7) === 2) found.push([tag >>> 3, reader.bytes()]);
		else reader.uint32();
	}
	return found;
}

let node: GrpcNode;
let neutral: GrpcNode;
beforeAll(async () => {
	node = await startGrpcNode("node.rpc.reflectionService = true");
	neutral = await startGrpcNode('node { rpc.reflectionService = true, dialect = "neutral" }');
});
afterAll(async () => {
	await node.close();
	await neutral.close();
});

async function answer(of: GrpcNode, request: Uint8Array, port?: "grpcSolidity"): Promise<Uint8Array> {
	const got = await of.stream(PATH, request, port);
	if ("error" in got) throw new Error(got.error.message);
	return got.answer;
}

async function files(of: GrpcNode, request: Uint8Array): Promise<FileDescriptor[]> {
	const response = fields(await answer(of, request)).find(([number]) => number === 4)?.[1];
	return fields(response ?? new Uint8Array(0)).map(
		([, file]) => FileDescriptorProto.toObject(FileDescriptorProto.decode(file)) as unknown as FileDescriptor,
	);
}

describe("server reflection", () => {
	it.each([
		["grpc", undefined, ["grpc.reflection.v1alpha.ServerReflection", "protocol.Database", "protocol.Wallet"]],
		[
			"grpcSolidity",
			"grpcSolidity" as const,
			["grpc.reflection.v1alpha.ServerReflection", "protocol.Database", "protocol.WalletSolidity"],
		],
	])("lists the services of %s", async (_name, port, names) => {
		const list = fields(await answer(node, ask(7, "*"), port)).find(([number]) => number === 6)?.[1];
		const services = fields(list ?? new Uint8Array(0)).map(([, service]) => fields(service)[0]?.[1]);
		expect(services.map((name) => Buffer.from(name ?? []).toString())).toEqual(names);
	});

	it("of version 1 lists the standard services as well", async () => {
		const got = await node.stream(PATH_V1, ask(7, "*"));
		if ("error" in got) throw new Error(got.error.message);
		const list = fields(got.answer).find(([number]) => number === 6)?.[1];
		const services = fields(list ?? new Uint8Array(0)).map(([, service]) => fields(service)[0]?.[1]);
		expect(services.map((name) => Buffer.from(name ?? []).toString())).toEqual([
			"grpc.health.v1.Health",
			"grpc.reflection.v1.ServerReflection",
			"grpc.reflection.v1alpha.ServerReflection",
			"protocol.Database",
			"protocol.Wallet",
		]);
	});

	it("lists services however the request says so", async () => {
		expect(fields(await answer(node, ask(7, ""))).map(([number]) => number)).toEqual([2, 6]);
	});

	it("repeats the host and the request", async () => {
		const request = Uint8Array.of(...ask(1, "h"), ...ask(4, "no.Such"));
		const [host, original] = fields(await answer(node, request));
		expect(host).toEqual([1, utf8("h")]);
		expect(toHex(original?.[1] ?? new Uint8Array(0))).toBe(toHex(request));
	});

	it.each([
		["an unknown symbol", ask(4, "no.Such"), "0805121153796d626f6c206e6f7420666f756e642e"],
		["an unknown file", ask(3, "no.proto"), "0805120f46696c65206e6f7420666f756e642e"],
		["extension numbers", ask(6, "protocol.Account"), "0805120f54797065206e6f7420666f756e642e"],
		[
			"an empty request",
			new Uint8Array(0),
			"080c12266e6f7420696d706c656d656e746564204d455353414745524551554553545f4e4f545f534554",
		],
	])("refuses %s as recorded", async (_what, request, error) => {
		const refused = fields(await answer(node, request)).find(([number]) => number === 7)?.[1];
		expect(toHex(refused ?? new Uint8Array(0))).toBe(error);
	});

	it.each([
		["a service", ask(4, "protocol.Wallet")],
		["a method", ask(4, "protocol.Wallet.GetNowBlock2")],
		["a method in the deployed spelling", ask(4, "protocol.Wallet.GetBurnTrx")],
		["a message", ask(4, "protocol.Account")],
		["a field", ask(4, "protocol.Account.balance")],
		["a nested enumeration", ask(4, "protocol.Transaction.Contract.ContractType")],
		["the file's name", ask(3, "api/api.proto")],
	])("finds the schema by %s, with what it needs", async (_what, request) => {
		expect((await files(node, request)).map(({ name }) => name)).toEqual([
			"api/api.proto",
			"google/protobuf/any.proto",
		]);
	});

	it("describes itself", async () => {
		const [file] = await files(node, ask(4, "grpc.reflection.v1alpha.ServerReflection"));
		expect(file?.service?.[0]?.method?.[0]).toMatchObject({ clientStreaming: true, serverStreaming: true });
	});

	it("describes the standard services, with who streams", async () => {
		const [health] = await files(node, ask(4, "grpc.health.v1.Health.Watch"));
		expect(health?.name).toBe("grpc/health/v1/health.proto");
		const [check, watch] = health?.service[0]?.method ?? [];
		expect([check?.serverStreaming, watch?.serverStreaming, watch?.clientStreaming]).toEqual([
			undefined,
			true,
			undefined,
		]);
		const [reflection] = await files(node, ask(4, "grpc.reflection.v1.ServerReflection"));
		expect(reflection?.name).toBe("grpc/reflection/v1/reflection.proto");
	});

	it.each([
		["4.8.0", false, undefined],
		["4.8.1", true, undefined],
		["4.8.2", true, true],
	])("is that of release %s", async (release, hasPages, deprecated) => {
		const own = await startGrpcNode(
			`node { release = ${release}, dialect = "neutral", rpc.reflectionService = true }`,
		);
		const root = rootOf(await files(own, ask(4, "protocol.Wallet")));
		await own.close();
		const methods = root.lookupService("protocol.Wallet").methods;
		expect("GetPaginatedNowWitnessList" in methods).toBe(hasPages);
		const { fields } = root.lookupType("protocol.IvkDecryptORC20Parameters");
		expect(fields["events"]?.options?.["deprecated"]).toBe(deprecated);
		expect(fields["ivk"]?.options?.["deprecated"]).toBeUndefined();
	});

	it("spells the schema in the node's dialect", async () => {
		const methods = async (of: GrpcNode): Promise<string[]> => {
			const [api] = await files(of, ask(3, "api/api.proto"));
			const wallet = api?.service?.find(({ name }) => name === "Wallet");
			return wallet?.method.map(({ name }) => name) ?? [];
		};
		expect(await methods(node)).toContain("GetBurnTrx");
		expect(await methods(node)).not.toContain("GetBurnCoin");
		expect(await methods(neutral)).toContain("GetBurnCoin");
		const found = await files(node, ask(4, "protocol.DecryptNotesTRC20.NoteTx"));
		expect(found).toHaveLength(2);
	});

	it("tells a client whose request can't be read, and serves the next one", async () => {
		const unreadable = await node.stream(PATH, Uint8Array.of(0x22, 0x80, 0x80));
		expect(unreadable).toMatchObject({ error: { code: 2, message: "Application error processing RPC" } });
		expect(await answer(node, ask(7, "*"))).not.toHaveLength(0);
	});

	it("gives a schema that other programs can use", async () => {
		const described = await files(neutral, ask(4, "protocol.Wallet"));
		const root = rootOf(described);
		const type = root.lookupType("protocol.Account");
		const bytes = type.encode({ address: fromHex("41aa"), assetV2: { "1000001": 5 }, type: 2 }).finish();
		const { Account } = await import("../../../../src/protocol/messages.js");
		const account = Account.decode(bytes);
		expect([toHex(account.address), account.type, account.assetV2.get("1000001")]).toEqual(["41aa", 2, 5n]);
	});
});

function rootOf(described: readonly FileDescriptor[]): protobuf.Root {
	const { fromDescriptor } = protobuf.Root as unknown as {
		readonly fromDescriptor: (set: { readonly file: readonly FileDescriptor[] }) => protobuf.Root;
	};
	const root = fromDescriptor({ file: described });
	root.resolveAll();
	return root;
}
