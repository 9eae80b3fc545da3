/**
 * What is answered for methods that a server doesn't have.
 *
 * The library words that answer itself and offers no hook for another one, so its look-up of handlers is wrapped. If a
 * later release of the library renames the look-up, only its own words appear again.
 */

import { type handleUnaryCall, type Server, status } from "@grpc/grpc-js";

interface Handler {
	readonly path: string;
	readonly type: "unary";
	readonly func: handleUnaryCall<Buffer, Buffer>;
	readonly serialize: (bytes: Buffer) => Buffer;
	readonly deserialize: (bytes: Buffer) => Buffer;
}

interface HandlerLookup {
	_retrieveHandler?(path: string): Handler | null;
}

/** Makes a server answer unknown methods with `Method not found: <service>/<method>`. */
export function nameUnknownMethods(server: Server): void {
	const lookup = server as unknown as HandlerLookup;
	const known = lookup._retrieveHandler;
	if (!known) return;
	lookup._retrieveHandler = (path) => known.call(server, path) ?? unknownMethod(path);
}

function unknownMethod(path: string): Handler {
	return {
		path,
		type: "unary",
		func: (_call, callback) =>
			callback({ code: status.UNIMPLEMENTED, details: `Method not found: ${path.replace(/^\//, "")}` }),
		serialize: (bytes) => bytes,
		deserialize: (bytes) => bytes,
	};
}
