/** Exchange types before release 4.8.2: their errors of arithmetic are errors of the runtime (protocol/exchange §2.1). */

import type { Older } from "../../rules/release.js";
import type { Arithmetic } from "../exchange-arithmetic.js";

const asItIs = <T>(work: () => T): T => work();

export const plainArithmetic: Older<Arithmetic> = { "4.8.1": { check: asItIs, effect: asItIs }, "4.8.0": {} };
