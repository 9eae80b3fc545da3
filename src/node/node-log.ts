/** The node's log; programs that start a node provide their own. */

/** Structured log lines; compatible with pino. */
export interface NodeLog {
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
}
