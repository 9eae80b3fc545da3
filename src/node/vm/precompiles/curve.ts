/**
 * Which library calculates on the curve alt_bn128: the compiled one (WebAssembly) once it is loaded, the portable one
 * until then and where it can't run. Nothing is loaded before a contract asks for the curve: most nodes that start never
 * do, and loading takes 70 ms and 15 MB.
 */

import type { Curve } from "./alt-bn128.js";
import { portableCurve } from "./curve-portable.js";

let present: Curve = portableCurve;
let loading: Promise<Curve> | undefined;

/** The best curve there is now; the first question starts to load a better one. */
export function curve(): Curve {
	if (!loading) void loadCurve();
	return present;
}

/** Loads the compiled library if it can run here. @returns the curve in use from now on */
export function loadCurve(): Promise<Curve> {
	loading ??= import("./curve-compiled.js")
		.then(({ compiledCurve }) => compiledCurve())
		.then(
			(compiled) => {
				present = compiled;
				return present;
			},
			// Where WebAssembly can't run the portable library goes on.
			() => present,
		);
	return loading;
}
