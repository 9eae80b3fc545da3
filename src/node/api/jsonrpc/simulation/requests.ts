/** Beginning a simulation for a client, and turning what can't be simulated into answers (protocol/json-rpc §17.1). */

import { SimulationError } from "../../../simulation/simulation-error.js";
import type { SimulationRun } from "../../../simulation/simulator.js";
import { TraceBudget, TraceError } from "../../../tracing/limits.js";
import type { ApiContext } from "../../context.js";
import type { RawValue } from "../json-reader.js";
import { internal, invalidParams, notAvailable, RpcError } from "../rpc-error.js";
import { readBlock, runOf } from "../traces/requests.js";

/** Codes that Ethereum's specification gives to what can't be simulated. */
const BLOCK_NUMBER_INVALID = -38020;
const BLOCK_TIME_INVALID = -38021;
export const CLIENT_LIMIT_EXCEEDED = -38026;

/** Begins on the state after a block. @throws {RpcError} */
export function beginSimulation(
	context: ApiContext,
	method: string,
	block: RawValue | undefined,
): SimulationRun {
	const { simulator } = context.node;
	if (!simulator) throw notAvailable(method, ": node.jsonrpc.simulate is off");
	return simulator.begin(readBlock(context, block), runOf(context, { timeoutMs: undefined }));
}

/** What all answers of a simulation may take. */
export function simulationBudget({ node }: ApiContext): TraceBudget {
	return new TraceBudget(node.config.node.jsonrpc.maxResponseSize, "simulation", "");
}

/** @throws {RpcError} */
export async function refusingSimulation<T>(simulate: () => Promise<T>): Promise<T> {
	try {
		return await simulate();
	} catch (error) {
		if (error instanceof TraceError) throw internal(error.message);
		if (!(error instanceof SimulationError)) throw error;
		switch (error.fault) {
			case "number":
				throw new RpcError(BLOCK_NUMBER_INVALID, error.message);
			case "time":
				throw new RpcError(BLOCK_TIME_INVALID, error.message);
			case "blocks":
				throw new RpcError(CLIENT_LIMIT_EXCEEDED, error.message);
			case "override":
				throw invalidParams(error.message);
		}
	}
}
