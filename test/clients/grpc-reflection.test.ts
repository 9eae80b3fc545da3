import { Client, credentials } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import * as extension from "protobufjs/ext/descriptor/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromHex } from "../../src/protocol/bytes.js";
import { type DeployedChain, startDeployedChain } from "./deployed-chain.js";
import { GrpcServices } from "./grpc-service.js";

/** The part of the reflection service's own schema that a client needs to begin with. */
const REFLECTION = protobuf.parse(
	`syntax = "proto3";
	package grpc.reflection.v1alpha;
	message ServerReflectionRequest {
		string host = 1;
		oneof message_request { string file_by_filename = 3; string file_containing_symbol = 4; string list_services = 7; }
	}
	message ServerReflectionResponse {
		FileDescriptorResponse file_descriptor_response = 4;
		ListServiceResponse list_services_response = 6;
		ErrorResponse error_response = 7;
	}
	message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
	message ListServiceResponse { repeated ServiceResponse service = 1; }
	message ServiceResponse { string name = 1; }
	message ErrorResponse { int32 error_code = 1; string error_message = 2; }`,
	new protobuf.Root(),
	{ keepCase: true },
).root;

interface ReflectionResponse {
	readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Uint8Array[] };
	readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
	readonly error_response?: { readonly error_message: string };
}

interface File {
	readonly name: string;
	readonly dependency: readonly string[];
}

/** The extension comes without types. */
const { FileDescriptorProto, FileDescriptorSet } = extension as unknown as Readonly<
	Record<string, protobuf.Type>
>;

/** Asks questions one after the other on one stream. */
class Reflection {
	private readonly client: Client;

	constructor(target: string) {
		this.client = new Client(target, credentials.createInsecure());
	}

	ask(question: Readonly<Record<string, string>>): Promise<ReflectionResponse> {
		const request = REFLECTION.lookupType("ServerReflectionRequest");
		const response = REFLECTION.lookupType("ServerReflectionResponse");
		return new Promise((resolve, reject) => {
			const stream = this.client.makeBidiStreamRequest(
				"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
				(value: object) => Buffer.from(request.encode(request.fromObject(value)).finish()),
				(bytes: Buffer) => response.decode(bytes) as unknown as ReflectionResponse,
			);
			stream.on("data", resolve);
			stream.on("error", reject);
			stream.write(question);
			stream.end();
		});
	}

	/** The file that declares a symbol, and all that it depends on. */
	async schemaOf(symbol: string): Promise<protobuf.Root> {
		const files = new Map<string, File>();
		const add = async (question: Readonly<Record<string, string>>): Promise<void> => {
			const { file_descriptor_response, error_response } = await this.ask(question);
			if (!file_descriptor_response) throw new Error(error_response?.error_message);
			for (const bytes of file_descriptor_response.file_descriptor_proto) {
				const file = FileDescriptorProto?.decode(bytes) as unknown as File;
				if (files.has(file.name)) continue;
				files.set(file.name, file);
				for (const name of file.dependency) if (!files.has(name)) await add({ file_by_filename: name });
			}
		};
		await add({ file_containing_symbol: symbol });
		const { fromDescriptor } = protobuf.Root as unknown as { fromDescriptor(set: object): protobuf.Root };
		const set = FileDescriptorSet?.create({ file: [...files.values()] });
		const root = fromDescriptor.call(protobuf.Root, set as object);
		root.resolveAll();
		return root;
	}

	close(): void {
		this.client.close();
	}
}

let chain: DeployedChain;
let reflection: Reflection;
beforeAll(async () => {
	chain = await startDeployedChain();
	reflection = new Reflection(chain.grpc);
});
afterAll(async () => {
	reflection.close();
	await chain.close();
});

describe("a client that knows nothing but reflection", () => {
	it("finds the services", async () => {
		const { list_services_response } = await reflection.ask({ list_services: "*" });
		const names = list_services_response?.service.map(({ name }) => name) ?? [];
		expect(names).toEqual(expect.arrayContaining(["protocol.Wallet", "protocol.Database"]));
	});

	it("reads the schema of a service and calls its methods", async () => {
		const services = new GrpcServices(chain.grpc, await reflection.schemaOf("protocol.Wallet"));
		expect(services.methods("protocol.Wallet").length).toBeGreaterThan(140);
		const [ann] = chain.people;
		const account = await services.call("protocol.Wallet/GetAccount", { address: fromHex(ann?.hex ?? "") });
		expect(account).toMatchObject({ balance: "1000000000000" });
		expect(await services.call("protocol.Wallet/GetNowBlock2")).toMatchObject({
			block_header: { raw_data: { number: "1" } },
		});
		expect(await services.call("protocol.Wallet/GetBurnTrx")).toBeTypeOf("object");
		services.close();
	});

	it("is told about symbols that don't exist", async () => {
		const { error_response } = await reflection.ask({ file_containing_symbol: "protocol.Nothing" });
		expect(error_response?.error_message).toBeTruthy();
	});
});
