/** What a serving process tells its parent about itself, when it is asked. */

export interface Report {
	readonly rssMiB: number;
	/** CPU time of all threads since the start, in microseconds. */
	readonly cpuUs: number;
	/** Blocks since it was asked last. */
	readonly blocks: number;
	/** Slots without a block. */
	readonly missed: number;
	/** How long after its slot the latest of the blocks was there. */
	readonly lateMs: number;
}

/** Tells the parent where it serves, and answers its questions until it goes away. */
export function tellParent(
	ports: object,
	blocks: () => Pick<Report, "blocks" | "missed" | "lateMs"> = () => ({ blocks: 0, missed: 0, lateMs: 0 }),
	close: () => Promise<void> = async () => {},
): void {
	process.send?.(ports);
	process.on("message", () => {
		const { user, system } = process.cpuUsage();
		const rssMiB = Math.round(process.memoryUsage().rss / 2 ** 20);
		const report: Report = { rssMiB, cpuUs: user + system, ...blocks() };
		process.send?.(report);
	});
	process.once("disconnect", () => void close().then(() => process.exit()));
}
