/** Where the bundled worker is. */

import { bundledScript } from "../../diagnostics/bundled-script.js";

/** The worker's script in the bundle that this code runs from; undefined when it runs from source. */
export const workerScript = (): URL | undefined => bundledScript("node/signatures/recover.worker.js");
