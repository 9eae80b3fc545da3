/** Which library calculates on the curve alt_bn128. The compiled one takes 70 ms to load, and 15 MB. */

import type { Curve } from "./alt-bn128.js";
import { portableCurve } from "./curve-portable.js";
import { LoadedLibrary } from "./loaded-library.js";

const library = new LoadedLibrary<Curve>(portableCurve, async () =>
	(await import("./curve-compiled.js")).compiledCurve(),
);

/** The best curve there is now; the first question starts to load a better one. */
export const curve = (): Curve => library.best();

/** Loads the compiled library if it can run here. @returns the curve in use from now on */
export const loadCurve = (): Promise<Curve> => library.loaded();
