/** What a node writes into its log. */

import type { Settings } from "./settings.js";

/** From everything to hardly anything; `off` writes nothing. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogConfig {
	/** The least serious lines that are written. */
	readonly level: LogLevel;
}

function logLevelOf(text: string): LogLevel | undefined {
	return LOG_LEVELS.find((level) => level === text.toLowerCase());
}

/**
 * Our own key is `log.level = warn`. Files for the network's node may hold an object in its place, a level for each of
 * its loggers; only that of `root` means something here, and a level of theirs that isn't ours changes nothing.
 * @throws {ConfigError}
 */
export function readLog(settings: Settings, warn: (warning: string) => void): LogConfig {
	const key = settings.isGroup("log.level") ? "log.level.root" : "log.level";
	const text = settings.get(key);
	const level = logLevelOf(text);
	if (level) return { level };
	const refused = settings.refuse(key, `must be one of ${LOG_LEVELS.join(", ")}, not "${text}"`);
	if (key === "log.level") throw refused;
	warn(`${refused.message}; info is used`);
	return { level: "info" };
}
