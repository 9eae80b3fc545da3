/** gRPC calls of attackers and honest clients. */

import { type ClientHttp2Session, connect } from "node:http2";
import { connect as openSocket } from "node:net";

/** The empty message. */
export const EMPTY_FRAME = Buffer.alloc(5);

/** An HTTP/2 connection from a loopback address. */
export const sessionFrom = (port: number, localAddress: string): ClientHttp2Session =>
	connect(`http://127.0.0.1:${port}`, {
		createConnection: () => openSocket({ port, host: "127.0.0.1", localAddress }),
	});

/** A call on its own connection. */
export function grpcCall(port: number, path: string, frame: Buffer, host = "127.0.0.1"): Promise<string> {
	return new Promise((resolve) => {
		const session = sessionFrom(port, host);
		const finish = (text: string): void => {
			session.destroy();
			resolve(text);
		};
		session.on("error", (error) => finish(`closed (${error.message})`));
		const stream = session.request({
			":method": "POST",
			":path": path,
			"content-type": "application/grpc",
			te: "trailers",
		});
		let status = "answered";
		stream.on("response", (headers) => {
			if (headers["grpc-status"]) status = `status ${headers["grpc-status"]}`;
		});
		stream.on("trailers", (headers) => {
			status = `status ${headers["grpc-status"]}`;
		});
		stream.on("error", (error) => finish(`closed (${error.message})`));
		stream.on("end", () => finish(status));
		stream.on("data", () => {});
		stream.end(frame);
		setTimeout(() => finish("no answer"), 30_000).unref();
	});
}
