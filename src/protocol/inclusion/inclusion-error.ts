/** A proof, or a set of witnesses, that is refused: one sentence says why. */
export class InclusionError extends Error {
	override readonly name = "InclusionError";
}
