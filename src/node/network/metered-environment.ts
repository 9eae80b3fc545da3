/** The environment, with what goes over its sockets counted. */

import type { ByteStream, NetworkEnvironment, StreamListener } from "./environment.js";
import { ForwardingStream } from "./forwarding-stream.js";
import type { PeerMeter } from "./peer-meter.js";

export function meteredEnvironment(environment: NetworkEnvironment, meter: PeerMeter): NetworkEnvironment {
	return {
		...environment,
		listen: (options, accept) =>
			environment.listen(options, (stream) => accept(new MeteredStream(stream, meter))),
		dial: async (address, timeoutMs, from) =>
			new MeteredStream(await environment.dial(address, timeoutMs, from), meter),
		bindDatagrams: async (options, receive) => {
			const port = await environment.bindDatagrams(options, (datagram, from) => {
				meter.bytes("udp", "in", datagram.length);
				receive(datagram, from);
			});
			return {
				port: port.port,
				send: (datagram, to) => {
					meter.bytes("udp", "out", datagram.length);
					port.send(datagram, to);
				},
				close: () => port.close(),
			};
		},
	};
}

class MeteredStream extends ForwardingStream {
	constructor(
		stream: ByteStream,
		private readonly meter: PeerMeter,
	) {
		super(stream);
	}

	override listen(listener: StreamListener): void {
		super.listen({
			data: (bytes) => {
				this.meter.bytes("tcp", "in", bytes.length);
				listener.data(bytes);
			},
			closed: () => listener.closed(),
		});
	}

	override write(bytes: Uint8Array): void {
		this.meter.bytes("tcp", "out", bytes.length);
		super.write(bytes);
	}
}
