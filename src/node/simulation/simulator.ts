/** Client simulations: their base block and time limit. */

import type { SignedBlock } from "../../protocol/block.js";
import type { OpenChain } from "../chain/open-chain.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { TraceClock } from "../tracing/limits.js";
import type { TraceQueue, TraceRun } from "../tracing/trace-runner.js";
import type { ContractMachine } from "../vm/contract-machine.js";
import { Simulation } from "./simulation.js";

/** A simulation whose steps yield to other work and stop at a time limit. */
export class SimulationRun {
	private readonly clock: TraceClock;
	private readonly queue: TraceQueue;

	constructor(
		readonly simulation: Simulation,
		readonly rules: ChainRules,
		{ queue, timeoutMs }: TraceRun,
	) {
		this.queue = queue;
		this.clock = new TraceClock(timeoutMs, "simulation", "node.jsonrpc.debugTimeoutMs");
	}

	/**
	 * Runs a step in one turn.
	 * @param work gets its deadline in `performance.now()` milliseconds
	 * @throws {TraceError} after the time limit
	 */
	step<T>(work: (simulation: Simulation, deadlineMs: number) => T): Promise<T> {
		return this.queue(() => this.clock.run((deadlineMs) => work(this.simulation, deadlineMs)));
	}
}

export class Simulator {
	constructor(
		private readonly chain: OpenChain,
		private readonly machine: ContractMachine,
	) {}

	/** Starts on the state after a block of the chain. */
	begin(base: SignedBlock, run: TraceRun): SimulationRun {
		const simulation = new Simulation(this.chain, this.machine, base);
		return new SimulationRun(simulation, this.chain.rules, run);
	}
}
