/** A simulated machine: an address, a clock, and one process at a time, which may crash and restart. */

import type { NodeAddress } from "../../src/node/network/environment.js";
import { type DatagramReceiver, SimulatedEnvironment, type StreamAcceptor } from "./environment.js";
import type { SimulatedWorld } from "./world.js";

export class SimulatedHost {
	isUp = false;
	boots = 0;
	/** Offset of the wall clock from the world's time. */
	private offsetMs = 0;
	/** Speed of the clocks. */
	private rate = 1;
	/** Value of the monotonic clock when the rate was last set. */
	private countedMs = 0;
	private setAtMs: number;
	private process: SimulatedEnvironment | undefined;

	constructor(
		readonly world: SimulatedWorld,
		readonly address: string,
	) {
		this.setAtMs = world.now;
	}

	/** Wall clock in whole milliseconds. */
	get clockMs(): number {
		const sinceMs = this.world.now - this.setAtMs;
		return Math.floor(this.setAtMs + this.offsetMs + sinceMs * this.rate + 1e-6);
	}

	/** Monotonic milliseconds, unaffected by setting the wall clock. */
	get countMs(): number {
		return this.countedMs + (this.world.now - this.setAtMs) * this.rate;
	}

	/** Simulated milliseconds of a wait by this host's clock. */
	realMs(ms: number): number {
		return ms / this.rate;
	}

	/** @param drift seconds gained per second, such as 0.0001 */
	setClock(offsetMs: number, drift: number): void {
		this.world.log(() => `clock ${this.address} ${offsetMs} ms, drift ${drift}`);
		this.countedMs = this.countMs;
		this.setAtMs = this.world.now;
		this.offsetMs = offsetMs;
		this.rate = 1 + drift;
	}

	/** Synchronizes with a time server; the clock's speed stays the same. */
	correctClock(errorMs: number): void {
		this.setClock(errorMs, this.rate - 1);
	}

	/** Starts a process. */
	boot(): SimulatedEnvironment {
		if (this.isUp) throw new Error(`${this.address} runs already`);
		this.isUp = true;
		this.boots++;
		this.world.log(() => `boot ${this.address}`);
		this.process = new SimulatedEnvironment(this, this.world.random.branch(`${this.address} ${this.boots}`));
		return this.process;
	}

	/**
	 * Ends the process without closing anything. The system closes its connections, unless the machine lost
	 * power (`silent`): then others only notice the silence.
	 */
	crash(silent = false): void {
		if (!this.isUp) return;
		this.world.log(() => `crash ${this.address}${silent ? " silently" : ""}`);
		this.process?.die(silent);
		this.process = undefined;
		this.isUp = false;
	}

	acceptor(address: NodeAddress): StreamAcceptor | undefined {
		return this.process?.acceptor(address);
	}

	receiver(address: NodeAddress): DatagramReceiver | undefined {
		return this.process?.receiver(address);
	}
}
