/** The {@link NetworkEnvironment} of one simulated process, over a {@link SimulatedWorld}. */

import type {
	BindOptions,
	ByteStream,
	DatagramPort,
	NetworkEnvironment,
	NodeAddress,
	PeerListener,
	Timer,
} from "../../src/node/network/environment.js";
import type { SimulatedHost } from "./host.js";
import type { Randomness } from "./randomness.js";
import { SimulatedStream } from "./stream.js";
import type { SimulatedWorld } from "./world.js";

export type StreamAcceptor = (stream: SimulatedStream) => void;
export type DatagramReceiver = (datagram: Uint8Array, from: NodeAddress) => void;

const FIRST_FREE_PORT = 32_768;
const LARGEST_DATAGRAM = 65_507;
const FRACTION_MS = 0.25;
/** Precision of times since 1970 as 53-bit numbers; a timer must not fire early. */
const ROUNDING_MS = 0.001;

export class SimulatedEnvironment implements NetworkEnvironment {
	private readonly world: SimulatedWorld;
	private readonly startedMs: number;
	private isAlive = true;
	private nextPort = FIRST_FREE_PORT;
	private readonly acceptors = new Map<string, StreamAcceptor>();
	private readonly receivers = new Map<string, DatagramReceiver>();
	private readonly streams = new Set<SimulatedStream>();

	constructor(
		readonly host: SimulatedHost,
		private readonly chance: Randomness,
	) {
		this.world = host.world;
		this.startedMs = host.countMs;
	}

	/** Starts with the process. Fractional, like the real clock. */
	now(): number {
		return Math.floor(this.host.countMs - this.startedMs + ROUNDING_MS) + FRACTION_MS;
	}

	wallClock(): number {
		return this.host.clockMs;
	}

	after(delayMs: number, task: () => void): Timer {
		const event = this.world.at(this.world.now + this.host.realMs(Math.max(delayMs, 0)), () => {
			if (this.isAlive) task();
		});
		return {
			cancel: () => {
				event.task = undefined;
			},
		};
	}

	every(periodMs: number, task: () => void, firstMs = periodMs): Timer {
		let isCancelled = false;
		let timer: Timer;
		const run = () => {
			task();
			if (!isCancelled) timer = this.after(periodMs, run);
		};
		timer = this.after(firstMs, run);
		return {
			cancel: () => {
				isCancelled = true;
				timer.cancel();
			},
		};
	}

	soon(task: () => void): void {
		this.after(0, task);
	}

	random(): number {
		return this.chance.fraction();
	}

	randomBytes(count: number): Uint8Array {
		return this.chance.bytes(count);
	}

	async listen(options: BindOptions, accept: (stream: ByteStream) => void): Promise<PeerListener> {
		const port = this.bind(this.acceptors, options, "TCP", (stream) => {
			this.keep(stream);
			accept(stream);
		});
		const key = bindKey(options.host, port);
		return {
			port,
			close: async () => {
				this.acceptors.delete(key);
			},
		};
	}

	dial(address: NodeAddress, timeoutMs: number, from?: string): Promise<ByteStream> {
		const { world, host } = this;
		return new Promise((resolve, reject) => {
			let isOver = false;
			const finish = (act: () => void) => {
				if (isOver) return;
				isOver = true;
				timeout.cancel();
				if (this.isAlive) act();
			};
			const name = `${address.host}:${address.port}`;
			const timeout = this.after(timeoutMs, () => finish(() => reject(new Error(`no answer from ${name}`))));
			const target = world.find(address.host);
			if (target === undefined) return;
			const here: NodeAddress = { host: from ?? host.address, port: this.nextPort++ };
			// A lost first packet is retransmitted after a second.
			world.at(world.arrivalMs(host.address, target.address, 60, 0), () => {
				if (!this.isAlive || isOver || !world.isReachable(host.address, target.address)) return;
				const accept = target.acceptor(address);
				const backMs = world.latency(target.address, host.address);
				if (accept === undefined) {
					world.at(world.now + backMs, () =>
						finish(() => reject(new Error(`${name} refused the connection`))),
					);
					return;
				}
				const near = new SimulatedStream(world, host.address, address);
				const far = new SimulatedStream(world, target.address, here);
				SimulatedStream.connect(world, near, far);
				world.log(() => `connect ${here.host}:${here.port} > ${name}`);
				accept(far);
				world.at(world.now + backMs, () => {
					if (isOver || !this.isAlive) near.vanish(!this.isAlive);
					else {
						this.keep(near);
						finish(() => resolve(near));
					}
				});
			});
		});
	}

	async bindDatagrams(options: BindOptions, receive: DatagramReceiver): Promise<DatagramPort> {
		const { world, host } = this;
		const port = this.bind(this.receivers, options, "UDP", receive);
		const key = bindKey(options.host, port);
		const here: NodeAddress = { host: options.host ?? host.address, port };
		return {
			port,
			send: (datagram, to) => {
				if (!this.isAlive || !this.receivers.has(key) || datagram.length > LARGEST_DATAGRAM) return;
				const target = world.find(to.host);
				world.logBytes("datagram", `${here.host}:${port}`, `${to.host}:${to.port}`, datagram);
				if (target === undefined) return;
				for (const arrivalMs of world.datagramArrivals(host.address, target.address)) {
					world.at(arrivalMs, () => {
						if (world.isReachable(host.address, target.address)) target.receiver(to)?.(datagram, here);
					});
				}
			},
			close: async () => {
				this.receivers.delete(key);
			},
		};
	}

	resolveHost(name: string): Promise<string> {
		return new Promise((resolve, reject) => {
			this.after(this.world.link.latencyMs * 2, () => {
				const address = this.world.names.get(name.toLowerCase());
				if (address === undefined) reject(new Error(`no address of ${name}`));
				else resolve(address);
			});
		});
	}

	resolveText(name: string): Promise<readonly (readonly string[])[]> {
		return new Promise((resolve, reject) => {
			this.after(this.world.link.latencyMs * 2, () => {
				const records = this.world.texts.get(name.toLowerCase());
				if (records === undefined) reject(new Error(`no TXT records at ${name}`));
				else resolve(records);
			});
		});
	}

	/** Ends the process: none of its tasks runs any more. */
	die(silent: boolean): void {
		this.isAlive = false;
		for (const stream of this.streams) stream.vanish(silent);
		this.streams.clear();
		this.acceptors.clear();
		this.receivers.clear();
	}

	acceptor(address: NodeAddress): StreamAcceptor | undefined {
		return (
			this.acceptors.get(bindKey(address.host, address.port)) ?? this.acceptors.get(bindKey("", address.port))
		);
	}

	receiver(address: NodeAddress): DatagramReceiver | undefined {
		return (
			this.receivers.get(bindKey(address.host, address.port)) ?? this.receivers.get(bindKey("", address.port))
		);
	}

	private keep(stream: SimulatedStream): void {
		this.streams.add(stream);
		stream.onGone = () => this.streams.delete(stream);
	}

	private bind<T>(bound: Map<string, T>, options: BindOptions, kind: string, value: T): number {
		const port = options.port === 0 ? this.nextPort++ : options.port;
		const key = bindKey(options.host, port);
		if (bound.has(key)) throw new Error(`${kind} port ${port} of ${this.host.address} is in use`);
		bound.set(key, value);
		return port;
	}
}

function bindKey(host: string | undefined, port: number): string {
	const isAny = host === undefined || host === "" || host === "0.0.0.0" || host === "::";
	return `${isAny ? "" : host}:${port}`;
}
