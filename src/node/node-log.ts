/** What the node writes its log to; programs that start one give it theirs. */

/** Structured log lines; pino fits. */
export interface NodeLog {
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
}
