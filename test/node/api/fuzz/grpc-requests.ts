/** Requests to the gRPC servers: frames of HTTP/2 data that hold no message, or too little, or too much. */

import fc from "fast-check";
import { toDeployed } from "../../../../src/protocol/dialect.js";
import { services } from "../../../../src/protocol/generated/services.js";

export interface GrpcRequest {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly data: Buffer;
	/** The client cancels the call instead of ending it. */
	readonly cancels: boolean;
}

const paths = Object.entries(services).flatMap(([service, methods]) =>
	Object.keys(methods).map((method) => `/protocol.${service}/${toDeployed(method)}`),
);

const framed = (flag: number, length: number, payload: Uint8Array): Buffer => {
	const prefix = Buffer.alloc(5);
	prefix[0] = flag;
	prefix.writeUInt32BE(length, 1);
	return Buffer.concat([prefix, payload]);
};

const payload = fc.uint8Array({ maxLength: 120 });

/** Bytes that begin like fields of a message. */
const fieldLike = fc
	.array(
		fc.tuple(
			fc.integer({ min: 1, max: 12 }),
			fc.integer({ min: 0, max: 7 }),
			fc.uint8Array({ maxLength: 24 }),
		),
		{
			maxLength: 5,
		},
	)
	.map((fields) =>
		Buffer.concat(
			fields.flatMap(([number, wire, bytes]) => [Uint8Array.of(number * 8 + wire, bytes.length), bytes]),
		),
	);

const data = fc.oneof(
	{ weight: 5, arbitrary: fc.oneof(payload, fieldLike).map((bytes) => framed(0, bytes.length, bytes)) },
	{ weight: 1, arbitrary: payload.map((bytes) => framed(0, bytes.length + 7, bytes)) },
	{ weight: 1, arbitrary: payload.map((bytes) => framed(0, Math.max(0, bytes.length - 3), bytes)) },
	{ weight: 1, arbitrary: payload.map((bytes) => framed(1, bytes.length, bytes)) },
	{ weight: 1, arbitrary: payload.map((bytes) => framed(7, bytes.length, bytes)) },
	{ weight: 1, arbitrary: payload.map((bytes) => framed(0, 0x7fffffff, bytes)) },
	{ weight: 1, arbitrary: payload.map((bytes) => Buffer.from(bytes)) },
	{
		weight: 1,
		arbitrary: fc.constant(Buffer.concat([framed(0, 0, Buffer.alloc(0)), framed(0, 0, Buffer.alloc(0))])),
	},
);

export const grpcRequests: fc.Arbitrary<GrpcRequest> = fc.record({
	path: fc.oneof(
		{ weight: 12, arbitrary: fc.constantFrom(...paths) },
		{
			weight: 1,
			arbitrary: fc.constantFrom(
				"/",
				"/protocol.Wallet/",
				"/protocol.Wallet/Nope",
				"/a/b/c",
				"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
			),
		},
	),
	headers: fc.constantFrom<Readonly<Record<string, string>>>(
		{ "content-type": "application/grpc" },
		{ "content-type": "application/grpc", "grpc-timeout": "1n" },
		{ "content-type": "application/grpc", "grpc-timeout": "zz" },
		{ "content-type": "application/grpc", "grpc-encoding": "gzip" },
		{ "content-type": "application/grpc", "grpc-encoding": "nosuch" },
		{ "content-type": "text/plain" },
		{},
	),
	data,
	cancels: fc.boolean().map((value) => value),
});
