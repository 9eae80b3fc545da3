/** The node's log on standard output: JSON lines for log collectors, or plain lines for people. */

import { LOG_LEVELS, type LogLevel } from "../node/config/service-config.js";
import type { NodeLog } from "../node/node-log.js";
import { harmlessJson } from "../terminal/output/harmless-text.js";
import { printLine } from "../terminal/output/output.js";

export type LogFormat = "json" | "text";

/** A log that can be flushed before the process exits. */
export interface ClosableLog extends NodeLog {
	flush(): void;
}

/** Ignores that the reader has closed the pipe. @throws any other error */
export function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
	if (error.code !== "EPIPE") throw error;
}

/**
 * Opens the log. `text` writes one short line per event.
 * @param least the lowest level that is written
 */
export async function openNodeLog(format: LogFormat, least: LogLevel): Promise<ClosableLog> {
	const log = format === "text" ? textLog() : await jsonLog();
	const place = (level: LogLevel): number => LOG_LEVELS.indexOf(level);
	const isWritten = (level: LogLevel): boolean => place(level) >= place(least);
	const nothing = (): void => undefined;
	return {
		info: isWritten("info") ? log.info : nothing,
		warn: isWritten("warn") ? log.warn : nothing,
		error: isWritten("error") ? log.error : nothing,
		flush: log.flush,
	};
}

async function jsonLog(): Promise<ClosableLog> {
	// Inside the bundle, a CommonJS package has only a default export.
	const { default: pino } = await import("pino");
	const destination = pino.destination({ dest: 1, sync: true });
	// The node keeps running if the log's reader exits.
	destination.on("error", ignoreBrokenPipe);
	const harmless = { write: (line: string) => destination.write(harmlessJson(line)) };
	const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, harmless);
	return {
		info: (fields, message) => log.info(fields, message),
		warn: (fields, message) => log.warn(fields, message),
		error: (fields, message) => log.error(fields, message),
		flush: () => destination.flushSync(),
	};
}

function textLog(): ClosableLog {
	const write = (level: string, fields: object, message: string): void => {
		const time = new Date().toISOString().slice(11, 23);
		const details = Object.entries(fields)
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`);
		printLine([time, level, message, ...details].join("  "));
	};
	return {
		info: (fields, message) => write("INFO ", fields, message),
		warn: (fields, message) => write("WARN ", fields, message),
		error: (fields, message) => write("ERROR", fields, message),
		flush: () => undefined,
	};
}
