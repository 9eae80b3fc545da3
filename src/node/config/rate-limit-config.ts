/** `rate.limiter.*` (protocol/configuration §1.9). */

import { toNeutral } from "../../protocol/dialect.js";
import type { Readings } from "./readings.js";
import type { Settings } from "./settings.js";

/** Calls a second, calls a second per client IP, or concurrent calls. */
export type LimitStrategy = "qps" | "ipQps" | "permits";

export interface ComponentLimit {
	/** Neutral spelling: a servlet class such as `GetAccountServlet`, or `protocol.Wallet/GetAccount`. */
	readonly component: string;
	readonly strategy: LimitStrategy;
	/** More than 0. */
	readonly value: number;
}

export interface RateLimiterConfig {
	/** Whether calls are limited at all. */
	readonly enabled: boolean;
	/** Calls a second of the whole process. */
	readonly globalQps: number;
	readonly globalIpQps: number;
	/** Default for each servlet and gRPC method. */
	readonly apiQps: number;
	/** Whether calls over a limit are refused at once instead of waiting. */
	readonly nonBlocking?: boolean;
	/** Whether a component's own limit is checked before the process's and the address's. */
	readonly componentFirst?: boolean;
	readonly http: readonly ComponentLimit[];
	readonly rpc: readonly ComponentLimit[];
}

interface StrategyRule {
	readonly strategy: LimitStrategy;
	readonly parameter: string;
	readonly whole: boolean;
	/** Default for an unreadable parameter; without it there is no limiter. */
	readonly absent?: number;
}

const STRATEGIES: Readonly<Record<string, StrategyRule>> = {
	QpsRateLimiterAdapter: { strategy: "qps", parameter: "qps", whole: false },
	IPQPSRateLimiterAdapter: { strategy: "ipQps", parameter: "qps", whole: false, absent: 2 },
	DefaultBaseQqsAdapter: { strategy: "qps", parameter: "qps", whole: false, absent: 1000 },
	GlobalPreemptibleAdapter: { strategy: "permits", parameter: "permit", whole: true, absent: 1 },
};

/**
 * Reads `rate.limiter`. An invalid entry stops the start.
 * @throws {ConfigError}
 */
export function readRateLimiter(
	settings: Settings,
	readings: Readings,
	warn: (text: string) => void,
): RateLimiterConfig {
	return {
		enabled: settings.get("rate.limiter.enabled"),
		...readings.rates(settings),
		globalQps: settings.get("rate.limiter.global.qps"),
		globalIpQps: settings.get("rate.limiter.global.ip.qps"),
		apiQps: settings.get("rate.limiter.global.api.qps"),
		http: settings.items("rate.limiter.http").flatMap((entry) =>
			readEntry(entry, "http", warn, (reason) => {
				throw entry.refuse("rate.limiter.http[].strategy", reason);
			}),
		),
		rpc: settings
			.items("rate.limiter.rpc")
			.flatMap((entry) =>
				readEntry(entry, "rpc", warn, (reason) => readings.badRpcLimit(entry, reason, warn)),
			),
	};
}

function readEntry(
	entry: Settings,
	list: "http" | "rpc",
	warn: (text: string) => void,
	refused: (reason: string) => void,
): ComponentLimit[] {
	const component = entry.get(`rate.limiter.${list}[].component`);
	const name = entry.get(`rate.limiter.${list}[].strategy`);
	const parameters = entry.get(`rate.limiter.${list}[].paramString`);
	const rule = STRATEGIES[name];
	if (rule === undefined) {
		refused(`= "${name}" of ${component} is unknown, use one of ${Object.keys(STRATEGIES).join(", ")}`);
		return [];
	}
	let value = readParameter(parameters, rule);
	if (value === undefined) {
		warn("Strategy params parse failure, use the default strategy params.");
		value = rule.absent;
	}
	if (value === undefined) {
		refused(`${name} of ${component} needs ${rule.parameter}=<more than 0>, not "${parameters}"`);
		return [];
	}
	return [{ component: toNeutral(component), strategy: rule.strategy, value }];
}

const DECIMAL = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The rule's parameter from `a=1,b=2`; undefined unless it is a positive number. */
function readParameter(text: string, rule: StrategyRule): number | undefined {
	for (const part of text.split(",")) {
		const [name = "", value = ""] = part.split("=").map((word) => word.trim());
		if (name !== rule.parameter) continue;
		const number = (rule.whole ? /^\d+$/ : DECIMAL).test(value) ? Number(value) : 0;
		return number > 0 && Number.isFinite(number) ? number : undefined;
	}
	return undefined;
}
