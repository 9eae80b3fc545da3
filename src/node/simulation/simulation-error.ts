/** Why a requested simulation is impossible. */

/** What is wrong: a block's number or time, too many blocks, or a state override. */
type SimulationFault = "number" | "time" | "blocks" | "override";

/** The message is for the caller. */
export class SimulationError extends Error {
	override readonly name = "SimulationError";

	constructor(
		readonly fault: SimulationFault,
		message: string,
	) {
		super(message);
	}
}
