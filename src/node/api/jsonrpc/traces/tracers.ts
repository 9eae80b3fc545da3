/** The tracers by name. */

import type { TraceBudget } from "../../../tracing/limits.js";
import { callFrames, selectorCounts } from "./call-frames.js";
import { flatTraces } from "./flat-traces.js";
import type { TraceOptions, TracerName } from "./options.js";
import { prestate } from "./prestate.js";
import type { ShownTracer } from "./seen.js";
import { structLogs } from "./struct-logs.js";

const TRACERS: Readonly<Record<TracerName, (options: TraceOptions, budget: TraceBudget) => ShownTracer>> = {
	callTracer: callFrames,
	flatCallTracer: (_options, budget) => flatTraces(budget),
	prestateTracer: prestate,
	"4byteTracer": (_options, budget) => selectorCounts(budget),
	noopTracer: () => ({ observer: {}, show: () => "{}" }),
};

/** A tracer for one execution. @param budget what all executions of the request share */
export function tracerFor(options: TraceOptions, budget: TraceBudget): ShownTracer {
	return options.tracer === undefined
		? structLogs(options, budget)
		: TRACERS[options.tracer](options, budget);
}
