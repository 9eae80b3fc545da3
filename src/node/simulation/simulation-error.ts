/** Why a simulation can't be made as it was asked for. */

/** What is wrong: the number or time of a block, more blocks than there may be, or something in place of the state. */
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
