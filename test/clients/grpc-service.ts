/** Calls to gRPC services of a schema that is only known at run time, by the ordinary libraries. */

import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import type protobuf from "protobufjs";

/** Fields by name; 64-bit numbers are texts, bytes are hexadecimal texts. */
export type Fields = Readonly<Record<string, unknown>>;

export class GrpcServices {
	private readonly client: Client;

	/** @param target host and port */
	constructor(
		target: string,
		readonly schema: protobuf.Root,
	) {
		this.client = new Client(target, credentials.createInsecure());
	}

	/** Calls `protocol.Wallet/GetAccount`. Rejects with the library's error, which has a code and details. */
	call(name: string, fields: Fields = {}): Promise<Fields> {
		const { path, request, response } = this.method(name);
		return new Promise((resolve, reject) => {
			const done = (error: ServiceError | null, answer?: Fields): void => {
				if (error) reject(error);
				else resolve(answer ?? {});
			};
			const options = { deadline: Date.now() + 300_000 };
			const encode = (value: Fields): Buffer =>
				Buffer.from(request.encode(request.fromObject(value)).finish());
			const decode = (bytes: Buffer): Fields =>
				response.toObject(response.decode(bytes), { longs: String, bytes: String, enums: String });
			this.client.makeUnaryRequest(path, encode, decode, toBase64(fields) as Fields, options, done);
		});
	}

	private method(name: string): {
		readonly path: string;
		readonly request: protobuf.Type;
		readonly response: protobuf.Type;
	} {
		const [serviceName = "", methodName = ""] = name.split("/");
		const service = this.schema.lookupService(serviceName);
		const method = service.methods[methodName];
		if (!method) throw new Error(`the schema has no method ${name}`);
		method.resolve();
		const { resolvedRequestType: request, resolvedResponseType: response } = method;
		if (!request || !response) throw new Error(`the types of ${name} are unknown`);
		return { path: `/${service.fullName.slice(1)}/${methodName}`, request, response };
	}

	/** Names of a service's methods. */
	methods(service: string): string[] {
		return Object.keys(this.schema.lookupService(service).methods);
	}

	close(): void {
		this.client.close();
	}
}

/** The library reads bytes in base64. */
function toBase64(value: unknown): unknown {
	if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
	if (Array.isArray(value)) return value.map(toBase64);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toBase64(member)]));
}

/** Hexadecimal digits of bytes that the library answered in base64. */
export const hexOf = (value: unknown): string => Buffer.from(String(value), "base64").toString("hex");
